"""Check the outputs that README.md and the docs show: ``python docs/outputs.py`` in a checkout.

Blocks are ``console`` fences (``$ command``, then its output) and ``python`` fences with ``>>>``. Each block
runs in a scratch folder with this checkout's commands, a copy of the builds and no network; stdout must be as
shown. A command without output must only succeed. A line ``...`` replaces any lines; amounts of time and
memory may differ. ``--write`` replaces outputs that differ; below ``...`` the
author chooses the lines.

A comment before a block has its options: ``<!-- output: setup='printf x > items.tsv', exit=1 -->``

- ``setup='COMMANDS'`` runs commands first, in the same shell
- ``exit=N`` accepts this exit status as well as 0
- ``skip, REASON`` runs nothing
"""

from __future__ import annotations

import argparse
import difflib
import doctest
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
LIMIT = 900
"""Seconds after which a block is stopped: ten times what the longest takes."""

_ELLIPSIS = "..."
_COMMENT = re.compile(r"<!-- output: (.*?)\s*-->", re.DOTALL)
_OPTION = re.compile(r"""\s*(setup|exit)=('[^']*'|"[^"]*"|\d+)\s*(?:,|$)""")
_FENCE = re.compile(r"( *)(`{3,})(\S*)")
_VOLATILE = re.compile(r"\b\d[\d,]*(?:\.\d+)? (?=(?:ms|s|min|h|bytes|[kMG]i?B|\w+/s)\b)")
_PORT = re.compile(r"--port[ =](\d+)")
_SERVER = re.compile(r"&\s*(?:#.*)?$")
_WAIT = "for _ in $(seq 600); do (: < /dev/tcp/127.0.0.1/{port}) 2> /dev/null && break; sleep .1; done"
_COMMANDS = {"polbias": "-m polbias.cli.main", "lm_eval": "-m lm_eval", "python": ""}
_RUN_EXAMPLES = """
import doctest, sys, traceback
from itertools import count
from pathlib import Path

results = Path(sys.argv[1])
text = (results / "examples.txt").read_text("utf-8")
numbers = count()


class Runner(doctest.DocTestRunner):
    def report_start(self, out, test, example):
        pass

    def report_success(self, out, test, example, got, status=0):
        number = next(numbers)
        (results / f"{number}.out").write_text(got, "utf-8")
        (results / f"{number}.status").write_text(str(status))

    report_failure = report_success

    def report_unexpected_exception(self, out, test, example, exc_info):
        traceback.print_exception(exc_info[1])
        self.report_success(out, test, example, "", 1)


Runner().run(doctest.DocTestParser().get_doctest(text, {}, "page", None, None), out=lambda line: None)
"""


class PageError(ValueError):
    """A page whose blocks cannot be read."""


@dataclass(frozen=True)
class Options:
    """Options of a block."""

    setup: str = ""
    exit: str = "0"
    skip: str = ""


@dataclass(frozen=True)
class Step:
    """A command, and the lines of its page (``start`` to ``end``, from 0) that show its output."""

    command: str
    start: int
    end: int
    page_lines: Sequence[str]


@dataclass(frozen=True)
class Block:
    """Commands that run in one shell, or examples that run in one interpreter; ``line`` counts from 1."""

    page: Path
    line: int
    kind: str
    indent: str
    options: Options
    steps: Sequence[Step]
    examples: str = ""


@dataclass(frozen=True)
class Outcome:
    """Outputs of the steps of a block, or the problem of a block that failed."""

    block: Block
    outputs: Sequence[Sequence[str]] = ()
    problem: str = ""

    def differences(self) -> list[tuple[Step, Sequence[str]]]:
        """Return the steps whose output differs, with the output."""
        return [
            (step, output)
            for step, output in zip(self.block.steps, self.outputs, strict=bool(self.outputs))
            if (step.page_lines or self.block.kind != "console") and not is_as_shown(step.page_lines, output)
        ]


def parse_options(comment: str, location: str) -> Options:
    """Return the options in a comment."""
    name, _, reason = comment.partition(",")
    if name.strip() == "skip":
        if not reason.strip():
            raise PageError(f"{location}: found 'skip', expected 'skip, REASON'; add the reason")
        return Options(skip=" ".join(reason.split()))
    values: dict[str, str] = {}
    position = 0
    while position < len(comment):
        option = _OPTION.match(comment, position)
        if option is None:
            text = comment[position:]
            raise PageError(
                f"{location}: found {text!r}, expected setup='...', exit=N or 'skip, REASON'; correct it"
            )
        values[option[1]] = option[2].strip("'\"")
        position = option.end()
    return Options(**values)


def blocks_of(page: Path) -> Iterator[Block]:
    """Yield the blocks of a page that show outputs."""
    lines = page.read_text("utf-8").split("\n")
    start, options, comment_line = 0, None, 0
    while start < len(lines):
        end, location = _end(lines, start), f"{_name(page)}:{start + 1}"
        if "<!-- output:" in lines[start] and not _FENCE.match(lines[start]):
            comment = _COMMENT.fullmatch("\n".join(lines[start:end]).strip())
            if options or not comment:
                raise PageError(f"{location}: found {lines[start]!r}, expected one comment before a block")
            options, comment_line = parse_options(comment[1], location), start + 1
        elif block := _block(page, lines, start, end, options or Options()):
            yield block
            options = None
        elif options and lines[start].strip() and not lines[start].lstrip().startswith("<!--"):
            break
        start = end
    if options:
        raise PageError(f"{_name(page)}:{comment_line}: found no output below the comment, expected a block")


def _end(lines: Sequence[str], start: int) -> int:
    """Return the line after the fence or comment that starts here, else the next line."""
    following = range(start + 1, len(lines))
    if fence := _FENCE.match(lines[start]):
        return next((number for number in following if lines[number].strip() == fence[2]), len(lines) - 1) + 1
    if lines[start].lstrip().startswith("<!--"):
        return next((number for number in range(start, len(lines)) if "-->" in lines[number]), start) + 1
    return start + 1


def _block(page: Path, lines: Sequence[str], start: int, end: int, options: Options) -> Block | None:
    """Return the block from ``start`` to before ``end``, or None if these lines show no output."""
    fence = _FENCE.match(lines[start])
    language = fence[3] if fence else ""
    indent = fence[1] if fence else ""
    body = [line.removeprefix(indent) for line in lines[start + 1 : end - 1]]
    examples = ""
    if language == "console":
        steps = [*_commands(body, start + 1)]
    elif language == "python" and any(line.startswith(">>> ") for line in body):
        examples = "".join(f"{line}\n" for line in body)
        steps = [*_examples(examples, start + 1)]
    else:
        return None
    return Block(page, start + 1, language, indent, options, steps, examples) if steps else None


def _commands(body: Sequence[str], offset: int) -> Iterator[Step]:
    """Yield the commands of a console fence."""
    starts = [number for number, line in enumerate(body) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(body)], strict=True):
        output = start + 1
        while body[output - 1].endswith("\\"):
            output += 1
        command = "\n".join(body[start:output]).removeprefix("$ ")
        yield Step(command, offset + output, offset + end, body[output:end])


def _examples(text: str, offset: int) -> Iterator[Step]:
    """Yield the examples of a Python fence."""
    for example in doctest.DocTestParser().get_examples(text):
        page_lines = ["" if line == "<BLANKLINE>" else line for line in _lines(example.want)]
        start = offset + example.lineno + example.source.count("\n")
        yield Step(example.source.rstrip("\n"), start, start + len(page_lines), page_lines)


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT)) if page.is_relative_to(ROOT) else str(page)


def _comparable(lines: Sequence[str]) -> list[str]:
    return [_VOLATILE.sub("# ", line.rstrip()) for line in lines]


def is_as_shown(page_lines: Sequence[str], output_lines: Sequence[str]) -> bool:
    """Whether lines are as shown, apart from ``...``, volatile amounts, and spaces at the end."""
    segments: list[list[str]] = [[]]
    for line in _comparable(page_lines):
        if line == _ELLIPSIS:
            segments.append([])
        else:
            segments[-1].append(line)
    lines = _comparable(output_lines)
    if len(segments) == 1:
        return lines == segments[0]
    first, *middle, last = segments
    position, end = len(first), len(lines) - len(last)
    if position > end or lines[:position] != first or lines[end:] != last:
        return False
    for segment in middle:
        n_lines = len(segment)
        starts = range(position, end - n_lines + 1)
        start = next((start for start in starts if lines[start : start + n_lines] == segment), None)
        if start is None:
            return False
        position = start + n_lines
    return True


def run_block(block: Block) -> Outcome:
    """Run the commands of a block in a scratch folder."""
    if block.options.skip:
        return Outcome(block)
    with tempfile.TemporaryDirectory(prefix="outputs-") as scratch:
        folder, results = Path(scratch) / "polbias", Path(scratch) / "results"
        folder.mkdir()
        results.mkdir()
        if (builds := ROOT / "build" / "datasets").is_dir():
            shutil.copytree(builds, folder / "build" / "datasets")
        script = _script(block, results)
        free_ports = {port: _free_port() for port in _PORT.findall(script)}
        for port, free_port in free_ports.items():
            script = re.sub(rf"\b{port}\b", free_port, script)
        problem = _run(script, folder, _environment(Path(scratch), folder), results)
        if problem:
            return Outcome(block, problem=problem)
        replacements = {free_port: port for port, free_port in free_ports.items()} | {f"{folder}/": ""}
        return _read_outcome(block, results, replacements)


def _script(block: Block, results: Path) -> str:
    """Return the shell script of a block, whose steps write outputs and exit statuses to files."""
    lines = ["set -e", block.options.setup, *_wait_for_server(block.options.setup)]
    if block.kind == "python":
        (results / "examples.txt").write_text(block.examples, "utf-8")
        (results / "run.py").write_text(_RUN_EXAMPLES, "utf-8")
        return "\n".join([*lines, f"python {shlex.quote(f'{results}/run.py')} {shlex.quote(str(results))}"])
    lines.append("set +e")
    for number, step in enumerate(block.steps):
        base = shlex.quote(f"{results}/{number}")
        lines += ["{", step.command, f"}} > {base}.out", f"echo $? > {base}.status"]
        lines += _wait_for_server(step.command)
    return "\n".join(lines)


def _wait_for_server(command: str) -> list[str]:
    """Return the command that waits for a server, if this command starts one."""
    port = _PORT.search(command)
    return [_WAIT.format(port=port[1])] if port and _SERVER.search(command) else []


def _free_port() -> str:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def _environment(scratch: Path, folder: Path) -> dict[str, str]:
    """Return an environment with this checkout's commands, without the user's tokens, caches and proxies."""
    (scratch / "bin").mkdir()
    for name, module in _COMMANDS.items():
        command = scratch / "bin" / name
        command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {module} "$@"\n', "utf-8")
        command.chmod(0o755)
    return {
        "PATH": f"{scratch / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PYTHONIOENCODING": "utf-8",
        "LANG": "C.UTF-8",
        "COLUMNS": "80",
        "HOME": str(scratch),
        "HF_HUB_OFFLINE": "1",
        # matplotlib takes seconds to list fonts.
        "MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR", str(Path.home() / ".cache" / "matplotlib")),
        "POLBIAS_DATA_DIR": str(folder / "build" / "datasets"),
    }


def _run(script: str, folder: Path, environment: dict[str, str], results: Path) -> str:
    """Run a script and stop all processes that it started; return a problem, or an empty text."""
    with (results / "stderr").open("wb") as stderr:
        process = subprocess.Popen(
            ["bash", "-c", script],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stderr,
            stderr=stderr,
            start_new_session=True,
        )
        try:
            status = process.wait(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return f"found no end after {LIMIT} s"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return f"found exit status {status}, expected 0\n{_last_lines(results / 'stderr')}" if status else ""


def _read_outcome(block: Block, results: Path, replacements: dict[str, str]) -> Outcome:
    """Read the outputs of the steps of a block."""
    outputs, problems = [], []
    for number, step in enumerate(block.steps):
        status = (results / f"{number}.status").read_text().strip()
        text = (results / f"{number}.out").read_text("utf-8")
        if status not in ("0", block.options.exit):
            problem = f"found exit status {status}, expected {block.options.exit}: {step.command}"
            problems.append(f"{problem}\n{_last_lines(results / 'stderr')}")
        for actual, public in replacements.items():
            text = text.replace(actual, public)
        outputs.append(_lines(text))
    return Outcome(block, outputs, "\n".join(problems))


def _last_lines(path: Path) -> str:
    return "\n".join(path.read_text("utf-8", errors="replace").splitlines()[-10:])


def describe(outcome: Outcome) -> str:
    """Return why a block was skipped, failed or differs; an empty text if it is as shown."""
    block = outcome.block
    location = f"{_name(block.page)}:{block.line}"
    if block.options.skip:
        return f"{location}: skipped, {block.options.skip}"
    if outcome.problem:
        return f"{location}: {outcome.problem}"
    lines = []
    for step, output in outcome.differences():
        lines.append(f"{_name(block.page)}:{step.start + 1}: differs from the output of: {step.command}")
        lines += [*difflib.unified_diff(step.page_lines, output, lineterm="", n=1)][2:]
    return "\n".join(lines)


def write(page: Path, outcomes: Sequence[Outcome]) -> None:
    """Replace the outputs of a page that differ, if the page shows all lines."""
    lines = page.read_text("utf-8").split("\n")
    edits = [
        (step, outcome.block, output)
        for outcome in outcomes
        if outcome.block.page == page and not outcome.problem
        for step, output in outcome.differences()
        if _ELLIPSIS not in step.page_lines
    ]
    for step, block, output in sorted(edits, key=lambda edit: -edit[0].start):
        if block.kind == "python":
            output = [line or "<BLANKLINE>" for line in output]
        lines[step.start : step.end] = [f"{block.indent}{line}".rstrip() for line in output]
    if edits:
        page.write_text("\n".join(lines), "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Check pages, or write their outputs; return 1 if a block fails, or differs and is not written."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="*", type=Path, help="check these; default: README.md and docs/*.md")
    parser.add_argument("--write", action="store_true", help="replace outputs that differ")
    settings = parser.parse_args(arguments)
    pages = [page.resolve() for page in settings.pages] or PAGES
    try:
        blocks = [block for page in pages for block in blocks_of(page)]
    except PageError as error:
        print(error, file=sys.stderr)
        return 1
    sys.path.insert(0, str(ROOT))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = [*pool.map(run_block, blocks)]
    for outcome in outcomes:
        if text := describe(outcome):
            print(text)
    if settings.write:
        for page in pages:
            write(page, outcomes)
    n_skipped = sum(bool(block.options.skip) for block in blocks)
    n_failed = sum(bool(outcome.problem) for outcome in outcomes)
    differing = [outcome for outcome in outcomes if not outcome.problem and outcome.differences()]
    n_written = settings.write and sum(
        all(_ELLIPSIS not in step.page_lines for step, _ in outcome.differences()) for outcome in differing
    )
    n_different = len(differing) - n_written
    n_as_shown = len(blocks) - n_skipped - n_failed - len(differing)
    print(
        f"outputs: {n_as_shown} as shown, {n_different} different, {n_failed} failed, {n_skipped} skipped"
        + f", {n_written} written" * settings.write
    )
    return int(bool(n_failed or n_different))


if __name__ == "__main__":
    sys.exit(main())
