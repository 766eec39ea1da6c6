"""Script that lets lm_eval find the tasks of an editable install: ``python -m polbias.harness_tasks.link``.

lm_eval indexes the YAML files in its ``tasks`` package and does not follow linked folders. A wheel installs
the files there; for an editable install this script links each file.
"""

from __future__ import annotations

import sys
from pathlib import Path

from polbias.errors import PolbiasError
from polbias.optional import lm_eval_imports


def link() -> tuple[Path, int]:
    """Link all task files into ``lm_eval/tasks/polbias`` and remove broken links."""
    try:
        with lm_eval_imports():
            from lm_eval import __file__ as lm_eval_init
    except PolbiasError as error:
        sys.exit(f"link-tasks: {error}")
    target = Path(lm_eval_init).parent / "tasks" / "polbias"
    source = Path(__file__).resolve().parent
    if any(path.is_file() and not path.is_symlink() for path in target.rglob("*.yaml")):
        sys.exit(f"link-tasks: {target} was installed from a wheel, nothing to link")
    files = sorted(source.rglob("*.yaml"))
    for stale in target.rglob("*.yaml"):
        stale.unlink()
    for file in files:
        link_path = target / file.relative_to(source)
        link_path.parent.mkdir(parents=True, exist_ok=True)
        link_path.symlink_to(file)
    return target, len(files)


if __name__ == "__main__":
    folder, count = link()
    sys.stdout.write(f"{count} task files linked into {folder}\n")
