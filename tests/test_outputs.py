"""docs/outputs.py finds outputs that commands do not print, and writes those that they print."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from textwrap import dedent

import pytest

from tests.support.process import ROOT, run_python

_Check = Callable[..., CompletedProcess[str]]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "page.md"


@pytest.fixture
def check(page: Path) -> _Check:
    """Write a page and check it."""

    def run(text: str, *options: str) -> CompletedProcess[str]:
        page.write_text(dedent(text), "utf-8")
        return run_python([str(ROOT / "docs" / "outputs.py"), str(page), *options], check=False)

    return run


def _counts(checked: CompletedProcess[str]) -> list[int]:
    """Return the numbers of blocks as shown, different, failed, and skipped; with ``--write``, also written."""
    return [int(number) for number in re.findall(r"\d+", checked.stdout.splitlines()[-1])]


_CONSOLE = """
```console
$ printf 'one\\ntwo, 3.1 s\\nthree\\n' | \\
    cat
one
two, 47 s
{last}
$ false || echo end
end
```
"""


def test_right_outputs_pass_whatever_time_they_took(check: _Check) -> None:
    checked = check(_CONSOLE.format(last="three"))
    assert (checked.returncode, _counts(checked)) == (0, [1, 0, 0, 0])


def test_a_wrong_output_fails_with_its_line(check: _Check, page: Path) -> None:
    text = _CONSOLE.format(last="four")
    checked = check(text)
    assert (checked.returncode, _counts(checked)) == (1, [0, 1, 0, 0])
    assert f"{page}:5:" in checked.stdout
    assert {"-four", "+three"} <= {*checked.stdout.splitlines()}
    assert page.read_text("utf-8") == text


def test_write_replaces_what_differs_and_nothing_else(check: _Check, page: Path) -> None:
    checked = check(_CONSOLE.format(last="four\nfive") + "\n```bash\n$ echo 1\n2\n```\n", "--write")
    assert (checked.returncode, _counts(checked)) == (0, [0, 0, 0, 0, 1])
    written = _CONSOLE.format(last="three").replace("47 s", "3.1 s")
    assert page.read_text("utf-8") == written + "\n```bash\n$ echo 1\n2\n```\n"


@pytest.mark.parametrize(
    ("shown", "status"),
    [
        ("...\n7\n8\n...", 0),
        ("1\n...\n9\n10", 0),
        ("1\n...\n5\n...\n7\n...\n10", 0),
        ("1\n...\n9", 1),
        ("2\n...\n10", 1),
        ("1\n...\n7\n...\n5\n...\n10", 1),
        ("1\n...\n10\n...\n10", 1),
    ],
)
def test_dots_stand_for_any_lines(check: _Check, shown: str, status: int) -> None:
    assert check(f"```console\n$ seq 10\n{shown}\n```\n").returncode == status


def test_the_author_chooses_lines_beside_dots(check: _Check, page: Path) -> None:
    block = "```console\n$ seq 1000 1020\n1000\n...\n1015x\n1020\n```\n"
    checked = check(block, "--write")
    assert (checked.returncode, _counts(checked)) == (1, [0, 1, 0, 0, 0])
    assert "+1015" in checked.stdout.splitlines()
    assert page.read_text("utf-8") == block


def test_a_failing_command_fails_unless_its_status_is_expected(check: _Check, page: Path) -> None:
    text = "{}```console\n$ echo no; (exit 3)\nyes\n```\n"
    checked = check(text.format(""), "--write")
    assert (checked.returncode, _counts(checked)) == (1, [0, 0, 1, 0, 0])
    assert page.read_text("utf-8") == text.format("")
    assert _counts(check(text.format("<!-- output: exit=3 -->\n"))) == [0, 1, 0, 0]
    assert _counts(check(text.format("<!-- output: exit=3 -->\n"), "--write")) == [0, 0, 0, 0, 1]
    assert "\nno\n" in page.read_text("utf-8")


def test_python_examples_are_compared(check: _Check, page: Path) -> None:
    text = '```python\n>>> numbers = [1,\n...            2]\n>>> sum(numbers)\n{}\n>>> print("a\\n\\nb")\na\n<BLANKLINE>\nb\n```\n'
    assert check(text.format(3)).returncode == 0
    checked = check(text.format(4))
    assert (checked.returncode, _counts(checked)) == (1, [0, 1, 0, 0])
    assert f"{page}:5:" in checked.stdout
    assert check(text.format(4), "--write").returncode == 0
    assert page.read_text("utf-8") == text.format(3)
    assert _counts(check(text.format("3\n>>> 1 / 0"))) == [0, 0, 1, 0]


def test_a_setup_prepares_a_block(check: _Check) -> None:
    text = """\
        <!-- output: setup='
        printf "a\\nb\\n" > file' -->

        ```console
        $ cat file
        a
        {}
        ```
    """
    assert _counts(check(text.format("b"))) == [1, 0, 0, 0]
    assert _counts(check(text.format("c"))) == [0, 1, 0, 0]
    failing = "<!-- output: setup='false' -->\n```console\n$ true\n```\n"
    assert _counts(check(failing)) == [0, 0, 1, 0]


def test_a_server_runs_on_a_free_port_and_is_stopped(check: _Check, tmp_path: Path) -> None:
    port_file = tmp_path / "port"
    server = f"""\
        import http.server, pathlib, sys
        pathlib.Path("{port_file}").write_text(sys.argv[2])
        address = ("127.0.0.1", int(sys.argv[2]))
        http.server.HTTPServer(address, http.server.SimpleHTTPRequestHandler).serve_forever()
    """
    (tmp_path / "server.py").write_text(dedent(server), "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ask = f"import urllib.request as u; print(u.urlopen('http://127.0.0.1:{port}/').status)"
        checked = check(f"""\
            ```console
            $ python {tmp_path}/server.py --port {port} &       # a comment
            $ python -c "{ask}" && echo {port}
            200
            {port}
            ```
        """)
    assert _counts(checked) == [1, 0, 0, 0]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(port_file.read_text())))


def test_a_skip_says_why(check: _Check) -> None:
    block = "```console\n$ false\n```\n"
    checked = check(f"<!-- output: skip, needs a key -->\n{block}")
    assert (checked.returncode, _counts(checked)) == (0, [0, 0, 0, 1])
    assert "needs a key" in checked.stdout
    assert check(f"<!-- output: skip -->\n{block}").returncode == 1


@pytest.mark.parametrize(
    "text",
    [
        "<!-- output: setp='true' -->\n```console\n$ true\n```\n",
        "<!-- output: setup='true' -->\nText.\n",
        "<!-- output: exit=1 -->\n",
        "<!-- output: exit=1 -->\n<!-- output: exit=2 -->\n```console\n$ true\n```\n",
        "<!-- output: exit=1 -->\n```bash\n$ true\n```\n",
    ],
)
def test_options_of_no_block_are_errors(check: _Check, page: Path, text: str) -> None:
    checked = check(text)
    assert checked.returncode == 1
    assert f"{page}:" in checked.stderr
