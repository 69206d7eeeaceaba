"""A page taken apart: its elements, ids, links, and what it would have a browser do."""

from html.parser import HTMLParser

VOID = {"meta", "link", "br"}


class Page(HTMLParser):
    """Reads a page; an element that is not closed, or closed twice, is an error."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self._lines, self._open = [], {}, [], []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self._open.append((tag, dict(attributes)))
        if tag == "tr":
            self._lines.append([])
        elif tag == "td":
            self._lines[-1].append("")

    def handle_endtag(self, tag):
        assert self._open.pop()[0] == tag

    def handle_data(self, data):
        if any(tag == "td" for tag, _ in self._open):
            self._lines[-1][-1] += data
        for tag, attributes in self._open:
            key = attributes.get("class") or tag
            self.texts[key] = self.texts.get(key, "") + data

    def all(self, tag):
        """The attributes of every element of a kind."""
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def rows(self):
        """The cells of every line of a table, headers apart."""
        return [line for line in self._lines if line]

    @property
    def ids(self):
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]

    @property
    def links(self):
        return [attributes["href"] for attributes in self.all("a")]
