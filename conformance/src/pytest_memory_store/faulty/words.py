"""Faulty stores of the SRCH group: how words are matched.

Must not know: the kit.
"""

# ruff: noqa: ARG002, D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

import re
import string

from pytest_memory_store.faulty.base import BaseStore
from pytest_memory_store.faulty.registry import faulty

_COUNT = ("SRCH-07", "SRCH-13", "SRCH-14", "SRCH-15", "SRCH-16", "SRCH-21", "SRCH-27")
"""What breaks where words are counted differently: a match that is missing may look like any of these."""


@faulty("SRCH-13", also=("SRCH-13b", *_COUNT), cause="LIKE or strpos in a case-sensitive collation")
class SearchMindsCase(BaseStore):
    """Matches upper and lower case as different letters."""

    def terms(self, query: str) -> list[str]:
        return query.split()

    def fold(self, text: str) -> str:
        return text


class _Patterns(BaseStore):
    """Takes the words of a query for patterns."""

    def pattern(self, term: str) -> str:
        return re.escape(term)

    def score(self, name: str, text: str, terms: list[str]) -> float:
        name, text = self.fold(name), self.fold(text)
        patterns = [self.pattern(term) for term in terms]
        return float(sum(len(re.findall(p, text)) + 2 * len(re.findall(p, name)) for p in patterns))


@faulty("SRCH-13", also=_COUNT, cause="a query put into a regular expression as it is")
class QueryIsRegex(_Patterns):
    """Takes the query for a regular expression, and fails where it is none."""

    def pattern(self, term: str) -> str:
        return re.compile(term).pattern


@faulty("SRCH-13", also=_COUNT, cause="a LIKE pattern with an unescaped underscore or percent sign")
class QueryIsLikePattern(_Patterns):
    """Takes `_` and `%` in the query for wildcards."""

    def pattern(self, term: str) -> str:
        return re.escape(term).replace("_", "(?s:.)").replace("%", "(?s:.*?)")


@faulty("SRCH-13", also=_COUNT, cause="a GLOB pattern, or a search box that knows `*`")
class QueryIsGlob(_Patterns):
    """Takes `*` and `?` in the query for wildcards."""

    def pattern(self, term: str) -> str:
        return re.escape(term).replace(r"\*", r"\S*?").replace(r"\?", r"\S")


@faulty("SRCH-13", also=_COUNT, cause="a full-text query language")
class OperatorsInterpreted(BaseStore):
    """Takes `AND`, `OR`, `NOT` and `NEAR` in a query for operators, not for text."""

    def terms(self, query: str) -> list[str]:
        return [term.lower() for term in query.split() if term not in {"AND", "OR", "NOT", "NEAR"}]


@faulty("SRCH-13", also=_COUNT, cause="a full-text query language, or SQL put together as text")
class QuoteIsSyntaxError(BaseStore):
    """Raises an error of the back end for a query with a quote or a parenthesis."""

    def terms(self, query: str) -> list[str]:
        if set(query) & set("'\"("):
            raise RuntimeError("syntax error in the query")
        return super().terms(query)


@faulty("SRCH-13", also=_COUNT, cause="a tokenizer that drops punctuation")
class PunctuationDropped(BaseStore):
    """Drops punctuation around the words of a query."""

    def terms(self, query: str) -> list[str]:
        return [term.strip(string.punctuation) for term in super().terms(query) if term.strip(string.punctuation)]


@faulty("SRCH-13", also=_COUNT, cause="LIKE with an escape character that is not escaped itself")
class BackslashEscapes(BaseStore):
    """Drops a backslash of the query and takes the character after it as it is."""

    def terms(self, query: str) -> list[str]:
        return [found for term in super().terms(query) if (found := re.sub(r"\\(.?)", r"\1", term))]


@faulty("SRCH-13b", also=("SRCH-27",), cause="lower() of SQLite, which knows ASCII only")
class OnlyAsciiIsFolded(BaseStore):
    """Matches in either case the letters of ASCII only."""

    _LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)

    def terms(self, query: str) -> list[str]:
        return self.fold(query).split()

    def fold(self, text: str) -> str:
        return text.translate(self._LOWER)


@faulty("SRCH-14", also=_COUNT, cause="AND as the default operator")
class AllWordsNeeded(BaseStore):
    """Finds only files that hold every word of the query."""

    def score(self, name: str, text: str, terms: list[str]) -> float:
        whole = self.fold(f"{name}\n{text}")
        return super().score(name, text, terms) if all(term in whole for term in terms) else 0.0


@faulty("SRCH-14", also=_COUNT, cause="a search for the query as one phrase")
class QueryIsPhrase(BaseStore):
    """Finds only files that hold the whole query as it is."""

    def terms(self, query: str) -> list[str]:
        return [query.strip().lower()] if query.strip() else []


@faulty("SRCH-14", also=_COUNT, cause="a full-text index over whole words")
class WholeWordsOnly(_Patterns):
    """Finds a word only where it is not part of a longer one."""

    def pattern(self, term: str) -> str:
        return rf"(?<!\w){re.escape(term)}(?!\w)"


@faulty("SRCH-14", also=_COUNT, cause="a trigram index, or a minimum word length")
class ShortWordsIgnored(BaseStore):
    """Ignores words of fewer than three characters."""

    def terms(self, query: str) -> list[str]:
        return [term for term in super().terms(query) if len(term) >= 3]


@faulty("SRCH-14", also=_COUNT, cause="a list of stop words")
class StopWordsIgnored(BaseStore):
    """Ignores frequent English words such as `the` and `not`."""

    def terms(self, query: str) -> list[str]:
        return [term for term in super().terms(query) if term not in {"a", "an", "and", "not", "of", "or", "the", "to"}]


@faulty("SRCH-14", also=_COUNT, cause="a split that is used for its first part")
class OnlyFirstWord(BaseStore):
    """Looks for the first word of the query only."""

    def terms(self, query: str) -> list[str]:
        return super().terms(query)[:1]


@faulty("SRCH-16", also=_COUNT, cause="an index over the content alone")
class NamesNotSearched(BaseStore):
    """Does not look for the words in file names."""

    def score(self, name: str, text: str, terms: list[str]) -> float:
        return super().score("", text, terms)
