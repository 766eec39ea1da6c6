"""A page as a list of elements, read by the parser of the standard library."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "link", "input", "br", "wbr"}


@dataclass
class Element:
    """An element: its name, attributes, ancestors' names, and all text in it."""

    tag: str
    attributes: dict[str, str]
    ancestors: tuple[str, ...]
    text: str = ""
    children: list[Element] = field(default_factory=list)


class Markup(HTMLParser):
    """Every element of a page in order, and whether all were closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(text)
        self.close()
        assert not self._open, self._open[-1]

    def of(self, *tags: str) -> list[Element]:
        """Return the elements with these names."""
        return [element for element in self.elements if element.tag in tags]

    def id(self, id: str) -> Element:
        """Return the one element with an id."""
        (found,) = (element for element in self.elements if element.attributes.get("id") == id)
        return found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        element = Element(tag, attributes, tuple(each.tag for each in self._open))
        self.elements.append(element)
        if self._open:
            self._open[-1].children.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> without a start"
        assert self._open[-1].tag == tag, f"</{tag}> closes <{self._open[-1].tag}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data
