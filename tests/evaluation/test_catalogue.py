"""Task names: what a user may type, and what is said to a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from polbias.errors import InputError
from polbias.evaluation.catalogue import Catalogue, catalogue


@pytest.fixture(scope="module")
def ours() -> Catalogue:
    return catalogue()


def test_lm_eval_indexes_the_same_names(ours: Catalogue) -> None:
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=[*ours.folders], include_defaults=False)
    assert list(ours.names) == manager.all_tasks
    assert sorted(ours.groups) == manager.all_groups
    for name in ours.tasks:
        kind = manager.task_index[name].cfg["output_type"]
        assert (
            ours.tasks[name].scores_likelihoods
            == (kind == "multiple_choice")
            == name.endswith("_loglikelihood")
        )


def test_names_commas_groups_and_patterns(ours: Catalogue) -> None:
    assert ours.choose(["polbias_en_formal, polbias_de_formal", "polbias_wason"]) == [
        "polbias_en_formal",
        "polbias_de_formal",
        "polbias_wason",
    ]
    assert ours.choose(["polbias_??_formal"]) == ["polbias_de_formal", "polbias_en_formal"]
    assert ours.choose(["polbias_partisan_m*i"]) == ["polbias_partisan_mini"]  # a group, as no task matches
    assert ours.members("polbias_partisan")[:2] == ["polbias_en_formal", "polbias_en_material"]
    assert set(ours.choose(["polbias_paper"])) == {name for name in ours.tasks if name.endswith("_paper")}


def test_likelihoods_come_first_and_a_member_of_a_group_is_asked_once(ours: Catalogue) -> None:
    chosen = ours.choose(["polbias_en_formal", "polbias_partisan", "polbias_wason_loglikelihood"])
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
        ("polbias_partisan,polbias_en_partisan", "both ask polbias_en_formal"),
    ],
)
def test_a_wrong_name_is_one_clear_error(ours: Catalogue, asked: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        ours.choose([asked])


def test_tasks_of_one_s_own(tmp_path: Path) -> None:
    (tmp_path / "_base.yaml").write_text("output_type: generate_until\nmetadata: {version: 2.0}\n", "utf-8")
    (tmp_path / "mine.yaml").write_text("include: _base.yaml\ntask: mine\ntag: own\n", "utf-8")
    (tmp_path / "all.yaml").write_text("group: all_mine\ntask: [mine]\n", "utf-8")
    found = catalogue([tmp_path])
    assert found.tasks["mine"].metadata == {"version": 2.0}
    assert found.choose(["all_mine,own"]) == ["all_mine"]
    (tmp_path / "mine.yaml").write_text("task: [", "utf-8")
    with pytest.raises(InputError, match=r"mine\.yaml: not a readable task file"):
        catalogue([tmp_path])
    with pytest.raises(InputError, match="not a folder"):
        catalogue([tmp_path / "gone"])
