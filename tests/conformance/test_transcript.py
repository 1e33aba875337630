"""A transcript reads as Python, with the random names of a run written as what they stand for."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pytest_memory_store.calls import (
    UNSET,
    Delete,
    GetOperation,
    Hung,
    ListPaths,
    MemoryOperation,
    Raised,
    Read,
    Returned,
    Search,
    Write,
)
from pytest_memory_store.transcript import Names, Step, Transcript, shorten

S = "kit0123456789ab"
VERSION = "0f1e2d3c4b5a"
OPERATION = MemoryOperation("kit-" + "0a" * 16, "fp")


@dataclass
class Mutation:
    """A result of the shape that a mutation has."""

    version: str | None
    replayed: bool = False
    existed: bool = False


def rendered(*steps: Step) -> list[str]:
    """Render the steps of one transcript."""
    return Transcript(S, list(steps)).render()


def test_every_call_reads_as_python() -> None:
    """Arguments are those that the store gets, by position and by keyword."""
    lines = rendered(
        Step(Write(f"{S}/a.md", "x", None)),
        Step(Write(f"{S}/a.md", "x", "v", OPERATION, {"by": "me"})),
        Step(Delete(f"{S}/a.md", None)),
        Step(GetOperation(OPERATION)),
        Step(Read(f"{S}/a.md", 9)),
        Step(ListPaths(f"{S}/", 2)),
        Step(ListPaths(UNSET, 2)),
        Step(Search("", "q", limit=1, max_files=2, max_chars=3, max_file_chars=4)),
    )
    assert lines[::2] == [
        "1. write(S + '/a.md', 'x', expected_version=None)",
        (
            "2. write_with_metadata(S + '/a.md', 'x', expected_version='v', metadata={'by': 'me'},"
            " operation=Operation(op1, 'fp'))"
        ),
        "3. delete(S + '/a.md', expected_version=None)",
        "4. get_operation(Operation(op1, 'fp'))",
        "5. read(S + '/a.md', max_chars=9)",
        "6. list_paths(S + '/', limit=2)",
        "7. list_paths(limit=2)",
        "8. search('', 'q', limit=1, max_files=2, max_chars=3, max_file_chars=4)",
    ]


def test_every_outcome_is_one_line() -> None:
    """A result is its fields, an error its class and words, a hang its deadline."""
    call = Read("a", 1)
    lines = rendered(
        Step(call, Returned(Mutation("v1"))),
        Step(call, Returned(None)),
        Step(call, Returned([S, "b"])),
        Step(call, Raised(ValueError(f"no {S}/a"))),
        Step(call, Hung(2.5)),
        Step(call),
    )
    assert lines[1::2] == [
        "   -> version='v1', replayed=False, existed=False",
        "   -> None",
        "   -> [S, 'b']",
        "   -> raised ValueError: no S/a",
        "   -> did not return within 2.5 s",
        "   -> no answer",
    ]


def test_a_version_is_named_by_the_step_that_answered_it() -> None:
    """Later calls and answers refer to it; a content that reads the same stays a content."""
    lines = rendered(
        Step(Write("a", "1", None), Returned(Mutation("1"))),
        Step(Write("a", "1", "1"), Returned(Mutation("2"))),
        Step(Delete("a", "2"), Returned(Mutation("1"))),
    )
    assert lines[2] == "2. write('a', '1', expected_version=m1.version)"
    assert lines[4] == "3. delete('a', expected_version=m2.version)"
    assert lines[5] == "   -> version=m1.version, replayed=False, existed=False"


def test_a_listing_of_the_whole_store_shows_own_names_only() -> None:
    """What other people keep in the store goes into no report."""
    answer = Returned([f"{S}/a", "somebody/else"])
    assert rendered(Step(ListPaths("", 9), answer), Step(ListPaths(UNSET, 9), answer))[1::2] == ["   -> [S + '/a']"] * 2
    assert rendered(Step(ListPaths(f"{S}/", 9), answer))[1] == "   -> [S + '/a', 'somebody/else']"


def test_long_things_are_cut_for_people() -> None:
    """A person sees how long a text or a list is."""
    names = Names(S)
    assert names.value("x" * 65_536) == "'x' * 65_536"
    assert names.value("".join(map(chr, range(40, 140)))).endswith("... (100 characters)")
    assert names.value(list(range(20))).endswith("11, ... (20 in all)]")


def test_a_result_that_cannot_be_looked_at_is_named() -> None:
    """The repr of a store's own class may raise."""

    class Strange:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    assert Names(S).value(Strange()) == "<Strange, whose repr raises RuntimeError>"


def test_plain_names_what_is_random_in_a_text() -> None:
    """Expected and actual speak of the same symbols as the steps."""
    transcript = Transcript(S, [Step(Write("a", "x", None, OPERATION), Returned(Mutation(VERSION)))])
    assert transcript.plain(f"{VERSION!r} of {S}/a by {OPERATION.id}") == "'m1.version' of S/a by op1"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        S,
        f"{S}0/a.md",
        f"before {S}/ after",
        f"{OPERATION.id}-again",
        "\r\n\x00\x1b\u2028\ud800\udfff\U0001f600e\u0301 '\"\\",
        "\ud800\r\n\x00" * 40 + "tail",
        "x" * 65_536 + "é" + "y" * 30,
        "".join(chr(7 * n % 0x110000) for n in range(5_000)),
    ],
)
def test_exact_text_is_the_same_text_in_ascii(text: str) -> None:
    """Whatever a script holds evaluates to what the store was given."""
    names = Names(S, exact=True)
    written = names.text(text)
    assert written.isascii()
    assert eval(written, {"S": S, "op1": OPERATION.id}) == text  # noqa: S307 - the test's own text


def test_exact_values_that_are_no_literals_have_to_be_filled_in() -> None:
    """A script says so where it cannot say what was given."""
    names = Names(S, exact=True)
    assert names.value({"by": ["x", 1, True, None]}) == "{'by': ['x', 1, True, None]}"
    assert names.value(range(2)) == "FILL_IN('range(0, 2)')"


def test_referred_are_the_steps_that_later_ones_need() -> None:
    """Only those get a name in a script."""
    names = Names(S)
    for number, version in enumerate(("v1", "v2"), 1):
        names.learn(number, Step(Read("a", 1), Returned(Mutation(version))))
    names.call(Delete("a", "v2"))
    assert names.referred == {2}


def test_shorten_ends_in_an_ellipsis() -> None:
    """A text within the bound stays."""
    assert (shorten("abcde", 5), shorten("abcdef", 5)) == ("abcde", "ab...")


def test_a_case_shows_its_own_steps_and_is_played_with_what_it_builds_on() -> None:
    """Steps of earlier cases count where they touch the same path, operation or prefix."""
    transcript = Transcript(S)
    for call in (Write("a", "x", None), Write("b", "x", None, OPERATION), Read("c", 1), ListPaths("", 1)):
        transcript.begin(call)
    transcript.next_case()
    assert transcript.render() == []
    transcript.begin(Read("a", 1))
    transcript.begin(GetOperation(OPERATION))
    copied = transcript.copy()
    transcript.begin(ListPaths("c", 9))
    assert len(copied.steps) == 2
    assert transcript.render()[0] == "1. read('a', max_chars=1)"
    assert [step.call.method for step in copied.whole().steps] == ["write", "write", "read", "get_operation"]
    assert [step.call.method for step in transcript.whole().steps][:4] == ["write", "write", "read", "read"]
