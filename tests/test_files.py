"""Files are written whole, and all of them or none."""

import pytest

from counterplay import UserError
from counterplay.core.files import write_files

pytestmark = pytest.mark.no_bounds


def test_files_are_written_or_replaced(tmp_path):
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_text("before", encoding="utf-8")
    write_files({old: "α", new: "β"})
    assert (old.read_text(encoding="utf-8"), new.read_text(encoding="utf-8")) == ("α", "β")
    assert sorted(tmp_path.iterdir()) == [new, old]


@pytest.mark.parametrize("name", ["no/where.txt", "folder", "a\0b", "x" * 300])
def test_what_cannot_be_written_changes_nothing(tmp_path, name):
    first = tmp_path / "first.txt"
    first.write_text("before", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserError, match="cannot be written"):
        write_files({first: "after", tmp_path / name: "text"})
    assert first.read_text(encoding="utf-8") == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.txt", "folder"]
