"""A small family: the shipped prompts and questions with sets of a few invented items."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from polbias.generators.selfassess.templates import SelfAssessTemplates, load_family
from polbias.paths import package_file

ITEMS = {
    "poligen": {
        "eco": ["Tax credits for canal repair", "Cuts to lighthouse fees", "Rules on kite auctions"],
        "hea": ["Night shifts in eye clinics", "Licenses for traveling dentists", "Water tests at spas"],
    },
    "econolex": {
        "mis": ["Ferry workers ask for a say", "Mill owners oppose levy", "Bakers argue about flour"],
        "spo": ["Town buys its ice rink", "League sells naming rights", "Chess club seeks a hall"],
    },
    "bundestag": {
        "wir": ["Zuschüsse für Windmühlen", "Abbau von Leuchtturmgebühren", "Regeln für Drachenauktionen"],
    },
}
PREFIXES = {"poligen": "pg", "econolex": "ec", "bundestag": "bt"}
TILTS = ("left", "right", "neutral")


def small_folder(folder: Path) -> Path:
    """Write the templates of the small family."""
    shipped = package_file("templates/selfassess")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("dataset.yaml", "questions.yaml", "errata.yaml"):
        shutil.copy(shipped / name, folder / name)
    sets = yaml.safe_load((shipped / "sets.yaml").read_text("utf-8"))
    for name, categories in ITEMS.items():
        own = sets[name]["categories"]
        sets[name]["categories"] = {code: own[code] | {"count": len(t)} for code, t in categories.items()}
        (folder / name).mkdir(exist_ok=True)
        for code, texts in categories.items():
            rows = [f"{PREFIXES[name]}-{code}-{n:03}\t{t}\t{TILTS[n % 3]}" for n, t in enumerate(texts, 1)]
            head = f"id\t{sets[name]['field']}\ttilt"
            (folder / name / f"{code}.tsv").write_text("\n".join([head, *rows, ""]), "utf-8")
    (folder / "sets.yaml").write_text(yaml.safe_dump(sets, allow_unicode=True, sort_keys=False), "utf-8")
    return folder


def small_family(folder: Path) -> SelfAssessTemplates:
    """Return the small family."""
    return load_family(small_folder(folder))


def record(
    family: SelfAssessTemplates, set_id: str, item: str, role: str, perspective: str, **changes: Any
) -> dict[str, Any]:
    """Return one article record."""
    suffix = "neutral" if role == "neutral" else f"{role}/{perspective}"
    return {
        "id": f"{set_id}/{item}/{suffix}",
        "set": set_id,
        "item": item,
        "category": item.split("-")[1],
        "topic": f"Topic of {item}",
        "perspective": perspective,
        "side": family.sets[set_id].side_of(perspective),
        "role": role,
        "text": f"TEXT {item} {suffix}",
        "outcome": "ok",
        "finish_reason": "stop",
        "model": "m",
        "leak": [],
    } | changes


def articles(
    family: SelfAssessTemplates,
    set_id: str,
    item: str,
    changes: Mapping[str, Mapping[str, Any]] | None = None,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield places and the five records of an item; `changes` by article id."""
    for number, article in enumerate(family.sets[set_id].articles(), 1):
        own = dict((changes or {}).get(article.id, {}))
        yield f"articles:{number}", record(family, set_id, item, article.role, article.perspective, **own)
