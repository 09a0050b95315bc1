"""Line charts: well-formed, complete, true to scale, and readable for everyone."""

import re
import xml.etree.ElementTree as ET

import pytest

from counterplay.core.charts import Dot, line_chart, value_chart

pytestmark = pytest.mark.long

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*args, **kwargs):
    return ET.fromstring(line_chart(*args, **kwargs))


def texts(svg):
    return [each.text for each in svg.iter(f"{SVG}text")]


def lines(svg):
    """The points of each line."""
    found = [each.get("d") for each in svg.iter(f"{SVG}path") if each.get("stroke-width") and "L" in each.get("d")]
    return [[tuple(map(float, point.split(","))) for point in d[1:].split("L")] for d in found]


def test_it_has_title_axes_and_a_legend_whatever_characters_are_in_them():
    svg = drawn({"a < b": [(1, 1), (2, 10)], "c & d": [(1, 5), (2, 2)]}, "T & <T>", "'x'", '"y"')
    assert {"T & <T>", "'x'", '"y"', "a < b", "c & d"} <= set(texts(svg))
    assert svg.get("aria-label") == "T & <T>"


def test_a_long_title_is_cut_so_that_the_picture_is_not_wider_for_it():
    title = "a recipe with many settings, " * 10
    svg, short = drawn({"s": [(1, 1), (2, 2)]}, title, "x", "y"), drawn({"s": [(1, 1), (2, 2)]}, "short", "x", "y")
    (shown,) = (text for text in texts(svg) if text and text.startswith("a recipe"))
    assert shown.endswith("…")
    assert len(shown) < 80
    assert svg.get("aria-label") == title
    assert int(svg.get("width")) < 1.4 * int(short.get("width"))


def test_the_scale_is_logarithmic_with_ticks_at_powers_of_ten():
    svg = drawn({"s": [(0, 3), (1, 30), (2, 300)]}, "", "", "")
    assert [text for text in texts(svg) if text and text.startswith("10")] == ["10⁰", "10¹", "10²", "10³"]
    ((first, second, third),) = lines(svg)
    assert first[1] - second[1] == pytest.approx(second[1] - third[1], abs=0.2)
    assert first[1] > third[1], "up is more"
    assert second[0] - first[0] == pytest.approx(third[0] - second[0], abs=0.2)


def test_very_different_numbers_have_few_ticks():
    svg = drawn({"s": [(0, 1e-3), (1, 1e21)]}, "", "", "")
    ticks = [text for text in texts(svg) if text and text.startswith("10")]
    assert (ticks[0], ticks[-1]) == ("10⁻³", "10²¹")
    assert len(ticks) <= 12


def test_the_scale_is_linear_if_wanted_and_has_round_ticks():
    svg = drawn({"s": [(0, 0.5), (10, 3), (100, 12.5)], "t": [(0, -3)]}, "", "", "", log_y=False)
    shown = [text for text in texts(svg) if text]
    assert {"-4", "0", "14"} <= set(shown)
    assert {"10", "50", "100"} <= set(shown)
    ((a, b, c),) = lines(svg)
    assert (b[1] - a[1]) / (c[1] - a[1]) == pytest.approx(2.5 / 12, abs=0.01)


@pytest.mark.parametrize(
    "series",
    [
        {"one point": [(3, 7)]},
        {"flat": [(1, 10), (2, 10)]},
        {"a very, very, very, very, very long name": [(1, 1), (2, 2)], "b": []},
        {str(i): [(1, 2 + i), (2, 3 + i)] for i in range(9)},
    ],
)
@pytest.mark.parametrize("log_y", [True, False])
def test_everything_lies_in_the_picture(series, log_y):
    svg = drawn(series, "title " * 20, "x", "y", log_y=log_y)
    width, height = (float(svg.get(side)) for side in ("width", "height"))
    places = [each.get("transform") for each in svg.iter(f"{SVG}path") if each.get("transform")]
    assert len(places) == sum(map(len, series.values())) + len(series), "a mark for each point, and in the legend"
    for place in places:
        x, y = map(float, re.match(r"translate\(([\d.]+),([\d.]+)\)", place).groups())
        assert 0 < x < width
        assert 0 < y < height
    for each in svg.iter(f"{SVG}text"):
        assert float(each.get("x", 0)) + 6 * len(each.text or "") * (each.get("text-anchor") is None) < width


def test_series_differ_in_colour_and_in_shape():
    svg = drawn({str(i): [(1, 1 + i), (2, 2 + i)] for i in range(5)}, "", "", "")
    marks = [(each.get("fill"), each.get("d")) for each in svg.iter(f"{SVG}path") if each.get("transform")]
    assert len(set(marks)) == len({fill for fill, _ in marks}) == len({d for _, d in marks}) == 5


def test_a_line_over_another_lets_it_be_seen():
    points = [(1, 1), (2, 10)]
    svg = drawn({"below": points, "above": points, "apart": [(1, 2), (2, 3)]}, "", "", "")
    paths = [each for each in svg.iter(f"{SVG}path") if each.get("stroke-width") and "L" in each.get("d")]
    assert [bool(each.get("stroke-dasharray")) for each in paths] == [False, True, False]


@pytest.mark.parametrize("series", [{}, {"s": []}, {"s": [(1, 0)]}, {"s": [(1, -1.0)]}])
def test_what_cannot_be_drawn_is_refused(series):
    with pytest.raises(ValueError, match=r"a chart needs points|must be above 0"):
        line_chart(series, "", "", "")


# ---- a value with dots


def test_a_value_is_drawn_to_scale_and_filled_to_the_middle():
    svg = ET.fromstring(value_chart([(0, 0), (1, 1), (2, -1)], (-1, 0, 1), "T & <T>", "x", "y"))
    assert "T & <T>" in texts(svg)
    ahead, behind, line = [[*each] for each in areas_and_line(svg)]
    (x0, middle), (x1, top), (x2, bottom) = line
    assert middle == pytest.approx((top + bottom) / 2)
    assert x1 - x0 == pytest.approx(x2 - x1)
    crossing = ((x1 + x2) / 2, middle)
    assert crossing in ahead
    assert crossing in behind
    assert min(y for _, y in behind) == middle == max(y for _, y in ahead)


def areas_and_line(svg):
    paths = [each.get("d") for each in svg.iter(f"{SVG}path") if "L" in each.get("d")]
    return [[tuple(map(float, point.split(","))) for point in d[1:].rstrip("Z").split("L")] for d in paths[:3]]


def test_every_dot_is_drawn_though_not_every_label_has_room():
    dots = [Dot(x, "bad" if x % 2 else "odd", f"label <{x}>", f"about {x}") for x in range(40)]
    svg = ET.fromstring(value_chart([(x, 0.0) for x in range(40)], (-1, 0, 1), "t", "x", "y", dots, ("odd", "bad")))
    assert sorted(each.text for each in svg.iter(f"{SVG}title")) == sorted(dot.about for dot in dots)
    shown = [text for text in texts(svg) if text.startswith("label")]
    assert "label <1>" in shown
    assert 4 <= len(shown) < 40
    assert {"odd", "bad"} <= set(texts(svg))


def test_a_value_may_be_a_single_one_or_beyond_its_bounds():
    ET.fromstring(value_chart([(0, 5.0)], (-1, 0, 1), "t", "x", "y"))
    with pytest.raises(ValueError, match="points"):
        value_chart([], (-1, 0, 1), "t", "x", "y")
