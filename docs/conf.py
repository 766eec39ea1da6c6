"""Sphinx settings."""

from __future__ import annotations

import polbias

project = "polbias"
author = "The polbias authors"
copyright = f"2026, {author}"
version = release = polbias.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"polbias {release}"
html_theme_options = {"top_of_page_buttons": []}

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_custom_sections = ["Source"]

myst_heading_anchors = 3
