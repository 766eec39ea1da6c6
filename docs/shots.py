"""Take the picture of the report page in the README: ``python docs/shots.py`` in a checkout.

The page is the report of `polbias demo` in ``build/demo``; the browser is Chromium or Chrome. The picture
records the hash of the page's templates, so that a test can tell when it is out of date.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from PIL.PngImagePlugin import PngInfo

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs/figures/report-page.png"
PAGE = ROOT / "build/demo/report/report.html"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SIZE = (1280, 920)
HASH_KEY = "polbias-templates"


def templates_hash() -> str:
    """Return the sha256 of the templates that the picture shows: frame, page, style and scripts."""
    folder = ROOT / "templates/report"
    digest = hashlib.sha256()
    for path in [folder / "frame.yaml", folder / "page.yaml", *sorted((folder / "page").iterdir())]:
        digest.update(f"{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def picture_hash() -> str:
    """Return the hash of the templates from which the picture was taken."""
    with Image.open(PICTURE) as image:
        return str(image.info[HASH_KEY])


def take_picture(browser: str) -> None:
    """Write the picture of the top of the page; a palette makes it half as large."""
    with TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"]
        size = f"--window-size={SIZE[0]},{SIZE[1]}"
        command = [browser, *options, size, f"--screenshot={shot}", PAGE.as_uri()]
        subprocess.run(command, check=True, capture_output=True)
        facts = PngInfo()
        facts.add_text(HASH_KEY, templates_hash())
        with Image.open(shot) as image:
            image.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE).save(
                PICTURE, optimize=True, pnginfo=facts
            )


if __name__ == "__main__":
    browsers = [path for path in map(shutil.which, BROWSERS) if path]
    if not browsers:
        sys.exit(f"found no browser, expected one of {', '.join(BROWSERS)}; install Chromium")
    if not PAGE.is_file():
        sys.exit(f"{PAGE}: missing; run `make demo` first")
    take_picture(browsers[0])
