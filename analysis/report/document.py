"""One HTML file that needs nothing else: style and script stand in it, and browsers may fetch nothing.

The content security policy names the style and the script by their hashes, so text that got into the page by
mistake could not run even if it were not escaped.
"""

import base64
import hashlib
from functools import cache
from importlib.resources import files

from analysis.report.markup import Html, element, together


def document(title: str, *body: object) -> str:
    """The whole file."""
    style, script = _part("page.css"), _part("page.js")
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("link", rel="icon", href="data:,"),
        element("title", title),
        element("style", Html(style)),
    )
    page = element("body", element("main", element("h1", title), *body), element("script", Html(script)))
    return f"<!doctype html>\n{element('html', together((head, page)), lang='en')}\n"


@cache
def _part(name: str) -> str:
    return (files("analysis.report") / name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    digest = base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"
