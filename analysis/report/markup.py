"""HTML that is escaped by construction: text is text, and only `element` makes markup of it."""

import re
from collections.abc import Collection, Iterable, Sequence
from html import escape

LONGEST = 600
"""Characters of one value that are shown; a page is for reading, the ledger keeps the rest."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


class Html(str):
    """Markup. Any other string is text, and is escaped when it becomes part of markup."""

    __slots__ = ()


def text(value: object) -> Html:
    """Data as markup that shows it; characters that no page may hold become the replacement character."""
    return value if isinstance(value, Html) else Html(escape(_CONTROL.sub("\ufffd", str(value))))


def element(name: str, /, *children: object, **attributes: object) -> Html:
    """An element with its children, which are escaped unless they are Html; None is no child.

    Attribute names lose a trailing underscore and write the others as hyphens; None or False: left out.
    """
    given = "".join(_attribute(key, value) for key, value in attributes.items())
    inside = "".join(text(child) for child in children if child is not None)
    return Html(f"<{name}{given}>" if name in _VOID else f"<{name}{given}>{inside}</{name}>")


_VOID = {"meta", "link", "br"}


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(value)}"'


def together(parts: Iterable[object], between: str = "") -> Html:
    """Parts one after the other, without those that are None."""
    return Html(text(between).join(text(part) for part in parts if part is not None))


def cut(value: str, longest: int = LONGEST) -> str:
    """A long value's beginning, and how much more there is."""
    return (
        value if len(value) <= longest else f"{value[:longest]} … ({len(value) - longest:,} characters more)"
    )


def table(
    header: Sequence[object],
    rows: Iterable[Sequence[object]],
    *,
    words: Collection[int] = (0,),
    wide: Collection[int] = (),
) -> Html:
    """A table that scrolls inside itself on a narrow screen.

    Columns in `words` hold text, the others numbers; those in `wide` hold sentences, and their lines break.
    """
    looks = {**dict.fromkeys(words, "words"), **dict.fromkeys(wide, "words wide")}

    def line(cells: Sequence[object], name: str) -> Html:
        return element("tr", together(element(name, c, class_=looks.get(i)) for i, c in enumerate(cells)))

    body = together(line(row, "td") for row in rows)
    whole = element("table", element("thead", line(header, "th")), element("tbody", body))
    return element("div", whole, class_="scroll", tabindex="0")


def folded(summary: object, *body: object, **attributes: object) -> Html:
    """Something to click open."""
    return element("details", element("summary", summary), *body, **attributes)


def section(level: int, title: object, *body: object, **attributes: object) -> Html:
    """A heading with what belongs to it."""
    return element("section", element(f"h{level}", title), *body, **attributes)


def note(*words: object) -> Html:
    """A paragraph of explanation."""
    return element("p", *words, class_="note")
