"""Colours: text can be read on every ground, in light and in dark."""

from __future__ import annotations

import re

import pytest

from polbias.eval.figure_style import COLOURS, SERIES
from polbias.eval.report.page.colours import TEXT, colours, css_colour_rules
from polbias.paths import package_file


def contrast(first: str, second: str) -> float:
    """Contrast ratio of WCAG 2.2 of two colours such as #1b1f24."""

    def luminance(colour: str) -> float:
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def roles(dark: bool) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", colours(dark)))


def test_contrast_of_black_and_white() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("dark", [False, True])
def test_text_can_be_read_on_every_ground(dark: bool) -> None:
    theme = roles(dark)
    assert {
        (text, ground): ratio
        for text in TEXT
        for ground in ("paper", "surface", "notice")
        if (ratio := contrast(theme[text], theme[ground])) < 4.5
    } == {}


@pytest.mark.parametrize("dark", [False, True])
def test_marks_and_edges_stand_out(dark: bool) -> None:
    theme = roles(dark)
    assert all(contrast(theme[role], theme["paper"]) >= 4.5 for role in SERIES)  # numbers stand on bars
    assert all(contrast(theme[role], theme["paper"]) >= 3 for role in ("focus", "neutral"))


def test_the_style_uses_declared_colours_only() -> None:
    style = package_file("templates/report/page/style.css").read_text("utf-8")
    assert set(re.findall(r"var\(--([\w-]+)\)", style)) <= set(roles(dark=False))
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b(?!-)(?=[;, )])", style)
    assert set(re.findall(r"(?<![-\w])color: var\(--([\w-]+)\)", style)) <= {*TEXT, "paper"}


def test_figures_inherit_every_colour_of_the_page() -> None:
    assert all(f"--{role}: inherit !important" in css_colour_rules() for role in COLOURS)
