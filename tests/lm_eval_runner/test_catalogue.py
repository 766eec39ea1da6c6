"""Task names: what a user may type, and what is said to a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from polbias.errors import InputError
from polbias.lm_eval_runner.tasks import Catalogue, catalogue


@pytest.fixture(scope="module")
def ours() -> Catalogue:
    return catalogue()


def test_lm_eval_indexes_the_same_names(ours: Catalogue) -> None:
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=[*ours.folders], include_defaults=False)
    assert list(ours.names) == manager.all_tasks
    assert sorted(ours.groups) == manager.all_groups
    for name in ours.tasks:
        kind = manager._entry(name).cfg["output_type"]
        assert (
            ours.tasks[name].is_loglikelihood
            == (kind == "multiple_choice")
            == name.endswith("_loglikelihood")
        )


def test_names_commas_groups_and_patterns(ours: Catalogue) -> None:
    assert ours.select_tasks(["polbias_en_formal, polbias_de_formal", "polbias_wason"]) == [
        "polbias_en_formal",
        "polbias_de_formal",
        "polbias_wason",
    ]
    assert ours.select_tasks(["polbias_??_formal"]) == ["polbias_de_formal", "polbias_en_formal"]
    assert ours.select_tasks(["polbias_partisan_m*i"]) == [
        "polbias_partisan_mini"
    ]  # a group, as no task matches
    assert ours.members("polbias_partisan")[:2] == ["polbias_en_formal", "polbias_en_material"]
    assert set(ours.select_tasks(["polbias_paper"])) == {
        name
        for name, task in ours.tasks.items()
        if name.endswith("_paper") and task.data.get("dataset") == "partisan-inference"
    }


def test_likelihoods_come_first_and_a_member_of_a_group_is_asked_once(ours: Catalogue) -> None:
    chosen = ours.select_tasks(["polbias_en_formal", "polbias_partisan", "polbias_wason_loglikelihood"])
    assert chosen == ["polbias_wason_loglikelihood", "polbias_partisan"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("en_formal", r"--tasks en_formal: no such task.*nearest: polbias_en_formal,.*polbias eval --list"),
        ("polbias_en_fromal", "nearest: polbias_en_formal,"),
        ("hellaswag", "use `lm_eval`"),
        ("polbias_xx_*", r"--tasks polbias_xx_\*: no such task"),
        ("my/task.yaml", "--include_path"),
        (" , ", "names no task"),
        ("polbias_partisan,polbias_en_partisan", "both contain polbias_en_formal"),
    ],
)
def test_a_wrong_name_is_one_clear_error(ours: Catalogue, asked: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        ours.select_tasks([asked])


def test_tasks_of_one_s_own(tmp_path: Path) -> None:
    (tmp_path / "_base.yaml").write_text("output_type: generate_until\nmetadata: {version: 2.0}\n", "utf-8")
    (tmp_path / "mine.yaml").write_text("include: _base.yaml\ntask: mine\ntag: own\n", "utf-8")
    (tmp_path / "all.yaml").write_text("group: all_mine\ntask: [mine]\n", "utf-8")
    found = catalogue([tmp_path])
    assert found.tasks["mine"].metadata == {"version": 2.0}
    assert found.select_tasks(["all_mine,own"]) == ["all_mine"]
    (tmp_path / "mine.yaml").write_text("task: [", "utf-8")
    with pytest.raises(InputError, match=r"mine\.yaml:2: not a readable task file"):
        catalogue([tmp_path])
    with pytest.raises(InputError, match="not a folder"):
        catalogue([tmp_path / "gone"])


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (
            {"a": "task: a\ninclude: a.yaml"},
            r"a\.yaml: include: .*includes itself \(a\.yaml > a\.yaml\); remove",
        ),
        (
            {"a": "task: a\ninclude: b.yaml", "b": "include: ./c.yaml", "c": "include: b.yaml"},
            r"c\.yaml: include: .*\(b\.yaml > c\.yaml > b\.yaml\)",
        ),
        ({"a": "group: g\ntask: [g]"}, r"a\.yaml: task: .*contains itself \(g > g\); remove it"),
        (
            {"a": "group: g\ntask: [h]", "b": "group: h\ntask: g"},
            r"contains itself \((g > h > g|h > g > h)\)",
        ),
        (
            {"a": "task: a\ninclude: b.yaml"},
            r"b\.yaml: not a readable.*\(No such file.*`include` in .*a\.yaml",
        ),
        ({"a": "task: a\ninclude: {b: 1}"}, r"a\.yaml: include: found .*expected the name of a file"),
        ({"a": "task: a\ntag: [{b: 1}]"}, r"a\.yaml: tag: found .*expected a name"),
        ({"a": "group: a\ntask: [[b]]"}, r"a\.yaml: task: found .*expected a name"),
        ({"a": "task: a\nmetadata: [1]"}, r"a\.yaml: metadata: found .*expected a mapping"),
        ({"a": "task: a\nmetadata: {polbias_samples: x}"}, r"a\.yaml: metadata\.polbias_samples: found 'x'"),
        ({"a": "- " * 100_000}, r"a\.yaml:1: .*levels deep"),
        ({"a": "task: !!bool x"}, r"a\.yaml: not a readable task file"),
    ],
)
def test_a_task_file_that_cannot_be_used_is_one_clear_error(
    files: dict[str, str], told: str, tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / f"{name}.yaml").write_text(text + "\n", "utf-8")
    with pytest.raises(InputError, match=told):
        Catalogue([tmp_path])


def test_groups_within_groups_name_a_task_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("task: a\n", "utf-8")
    for depth in range(60):
        inner = f"[g{depth - 1}, g{depth - 1}]" if depth else "a"
        (tmp_path / f"g{depth}.yaml").write_text(f"group: g{depth}\ntask: {inner}\n", "utf-8")
    assert Catalogue([tmp_path]).members("g59") == ["a"]
