"""What an error gives away beside the requested path."""

from __future__ import annotations

import pytest

from pytest_memory_store.leaks import names_in, places_in


def test_names_in_finds_others_and_not_the_requested_path() -> None:
    """A name within the requested path is the caller's own."""
    error = ValueError("no such path: u1/secret.md (did you mean u2/other.md?)")
    assert names_in(error, "u1/secret.md", ["secret", "other"]) == ["other"]


def test_names_in_knows_the_requested_path_as_it_is_quoted() -> None:
    """A path with control characters is quoted in errors, and is the caller's own all the same."""
    error = ValueError(f"invalid path {'near/a.md' + chr(10)!r}")
    assert names_in(error, "near/a.md\n", ["near/a.md"]) == []


@pytest.mark.parametrize(
    "text",
    [
        "connection to postgresql://memory:hunter2@db.internal:5432/notes failed",
        "cannot open /var/lib/memory/data",
        r"cannot open C:\memory\data",
        "mongodb+srv://cluster0.example.net/notes is down",
    ],
)
def test_places_in_finds_places(text: str) -> None:
    """An address of a server or a directory of the host is found."""
    assert places_in(ValueError(text), "u1/a.md")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "join segments of A-Z a-z 0-9 _ . - by single slashes",
        "path must not begin with / or contain //",
        "read and/or write refused for u1/var/lib/a.md",
        "see https://example.org/docs/paths for what a path may hold",
    ],
)
def test_places_in_finds_nothing_in_plain_errors(text: str) -> None:
    """Grammar, the caller's own segments and links to documentation are no places."""
    assert places_in(ValueError(text), "u1/a.md") == []


def test_places_in_ignores_the_requested_path() -> None:
    """An absolute path that the caller asked for is the caller's own."""
    assert places_in(ValueError("invalid path '/var/lib/a.md'"), "/var/lib/a.md") == []
