"""Files are written whole, and all of them or none."""

from pathlib import Path

import pytest

from counterplay import UserError
from counterplay.core import files
from counterplay.core.files import locked, read_json, read_text, write_files


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


def test_a_link_at_the_place_of_a_part_is_not_followed(tmp_path, monkeypatch):
    target, file = tmp_path / "target", tmp_path / "file"
    monkeypatch.setattr("counterplay.core.files.secrets.token_hex", lambda _: "known")
    (tmp_path / ".known.part").symlink_to(target)
    with pytest.raises(UserError, match="cannot be written"):
        write_files({file: "text"})
    assert not target.exists()


def test_texts_are_read_within_bounds(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_bytes(b"\xef\xbb\xbfa\r\nb\xff")
    assert read_text(file) == "a\nb\ufffd"
    monkeypatch.setattr(files, "MOST_BYTES", 3)
    with pytest.raises(UserError, match="too many to be read"):
        read_text(file)
    for nothing in (tmp_path / "nowhere", tmp_path, Path("a\0b")):
        with pytest.raises(UserError, match="cannot be read"):
            read_text(nothing)


def test_json_is_read_or_refused():
    assert read_json('{"a": [1]}') == {"a": [1]}
    for text in ("", "{", "[" * 100_000):
        with pytest.raises(ValueError, match=r"Expecting|nested too deeply"):
            read_json(text)


def test_a_locked_file_is_one_process_s(tmp_path):
    file = tmp_path / "file"
    with locked(file), pytest.raises(UserError, match="is being written by another process"):
        locked(file)
    locked(file).close()
