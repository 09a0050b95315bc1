"""What `counterplay bench` prints: tables of speeds and nodes; and a chart of the nodes."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from counterplay.apps.cli import output
from counterplay.core.charts import line_chart

__all__ = ["knowledge_table", "ordering_chart", "ordering_table", "speed_table"]


def speed_table(rows: list[dict[str, Any]]) -> Table:
    """A line for each kind of work."""
    made = output.table("what", "#compiled", "#interpreted", "#ratio")
    for row in rows:
        rates = (row["compiled"], row["interpreted"])
        ratio = f"{rates[0] / rates[1]:,.0f}x" if None not in rates else ""
        output.add_row(made, f"{row['what']}/s", *("-" if r is None else f"{r:,.0f}" for r in rates), ratio)
    return made


def ordering_table(found: dict[str, Any]) -> Table:
    """The nodes for each height, the exponents and the theory's."""
    series = found["series"]
    made = output.table("height", *(f"#{each['name']}" for each in series))
    for i, m in enumerate(found["heights"]):
        output.add_row(made, str(m), *(f"{each['nodes'][i]:,.0f}" for each in series))
    output.add_row(made, "exponent", *(f"{each['exponent']:.3f}" for each in series))
    output.add_row(made, "theory", *("" if each["theory"] is None else f"{each['theory']:g}" for each in series))
    return made


def ordering_chart(found: dict[str, Any]) -> str:
    """The nodes for each height, as an SVG."""
    width, heights = found["width"], found["heights"]
    series = {
        f"{each['name']}, x = {each['exponent']:.2f}": list(zip(heights, each["nodes"], strict=True))
        for each in found["series"]
    }
    title = f"Nodes to solve a tree with {width} moves in every state"
    return line_chart(series, title, f"height m of the tree, in plies; nodes grow like {width}^(x m)", "nodes")


def knowledge_table(rows: list[dict[str, Any]]) -> Table:
    """A line for each search."""
    made = output.table("search", "#nodes", "#ratio", "#value")
    for row in rows:
        output.add_row(made, row["search"], f"{row['nodes']:,}", f"{row['ratio']:.2f}", f"{row['value']:g}")
    return made
