"""Sphinx settings; the tables of columns and configs are written from the files that define them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import yaml

import polbias
from polbias.generators.logic.audit.findings import FINDINGS, VERDICTS
from polbias.generators.normative.auditing import NormativeFormat
from polbias.generators.normative.publication import patterns
from polbias.generators.partisan.auditing import PartisanFormat
from polbias.locations import package_file
from polbias.lock import read_lock

_DATASET, _NORMATIVE = "partisan-inference", "normative-reasoning"
_POLICY, _XPHEMISM = "policy-statements", "xphemism-pairs"
_SELFASSESS = "self-assessment"

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


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _columns(meanings: Mapping[str, str]) -> str:
    return _table(("column", "meaning"), ((f"`{name}`", meaning) for name, meaning in meanings.items()))


def _configs(dataset: str) -> str:
    locked = _LOCK[dataset].configs

    def row(name: str) -> tuple[str, str, str]:
        splits = locked[name]
        shots = f"{splits['fewshot'].rows:,}" if "fewshot" in splits else ""
        return f"`{name}`", f"{splits['test'].rows:,}", shots

    return _table(("config", "`test`", "`fewshot`"), map(row, locked))


def _codes(meanings: Mapping[str, str]) -> str:
    return _table(("code", "meaning"), ((f"`{code}`", meaning) for code, meaning in meanings.items()))


def _patterns() -> str:
    found = patterns()
    logics = list(found[0]["verdicts"])
    rows = ((p["id"], f"`{p['form']}`", p["gold"], *p["verdicts"].values()) for p in found)
    return _table(("pattern", "form", "gold", *logics), rows)


_LOCK = read_lock()
_MEANINGS = yaml.safe_load((package_file("cards") / "columns.yaml").read_text("utf-8"))

myst_enable_extensions = ["substitution"]
myst_heading_anchors = 3
myst_substitutions = {
    "columns_shared": _columns(_MEANINGS["shared"]),
    "columns_partisan": _columns(_MEANINGS[_DATASET]),
    "columns_normative": _columns(_MEANINGS[_NORMATIVE]),
    "columns_policy": _columns(_MEANINGS[_POLICY]),
    "columns_xphemism": _columns(_MEANINGS[_XPHEMISM]),
    "columns_selfassess": _columns(_MEANINGS[_SELFASSESS]),
    "configs": _configs(_DATASET),
    "dataset_version": _LOCK[_DATASET].version,
    "normative_configs": _configs(_NORMATIVE),
    "normative_patterns": _patterns(),
    "policy_configs": _configs(_POLICY),
    "policy_version": _LOCK[_POLICY].version,
    "selfassess_configs": _configs(_SELFASSESS),
    "selfassess_version": _LOCK[_SELFASSESS].version,
    "xphemism_configs": _configs(_XPHEMISM),
    "xphemism_version": _LOCK[_XPHEMISM].version,
    "normative_version": _LOCK[_NORMATIVE].version,
    "audit_verdicts": _codes(VERDICTS),
    "audit_findings": _codes(FINDINGS),
    "audit_findings_normative": _codes(NormativeFormat.meanings),
    "audit_findings_partisan": _codes(PartisanFormat.meanings),
}
