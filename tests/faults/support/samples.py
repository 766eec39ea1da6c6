"""Samples of lm_eval as the tasks of all families log them, two or more documents each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from polbias.eval.samples import find_sample_files
from tests.eval.selfassess.respondents import rows as choice_rows
from tests.eval.xphemism.test_samples import sample as claim_sample

Sample = dict[str, Any]


def _sample(number: int, doc: Mapping[str, Any], said: Any, **more: Any) -> Sample:
    return {
        "doc_id": number,
        "doc": dict(doc),
        "target": "valid",
        "arguments": {"gen_args_0": {"arg_0": doc.get("prompt", "?"), "arg_1": {"until": []}}},
        "resps": [[said]],
        "filtered_resps": [said],
        "filter": "none",
    } | more


def partisan() -> list[Sample]:
    """Return the samples of two pairs."""
    docs = [
        {
            "id": f"en_formal/{pair}/{leaning}",
            "dataset": "partisan-inference",
            "dataset_version": "1.0.0",
            "config": "en_formal",
            "language": "en",
            "prompt": "Is it valid?",
            "leaning": leaning,
            "gold": gold,
            "pair_id": f"{pair}",
            "cluster_id": f"pattern-{pair % 2}",
            "gender": "f",
            "variation": "default",
            "kind": "formal",
            "shots": 0,
        }
        for pair, gold in enumerate(("valid", "invalid", "valid", "invalid"))
        for leaning in ("left", "right")
    ]
    said = ("It is **valid**.", "**invalid**", "**invalid**", "I cannot say.", "It is **valid**.")
    return [_sample(n, doc, said[n % 5]) for n, doc in enumerate(docs)]


def policy() -> list[Sample]:
    """Return the samples of a statement in two variants and both orders of the labels."""
    docs = [
        {
            "id": f"xx_1/{variant}/{order}",
            "dataset": "policy-statements",
            "dataset_version": "1.0.0",
            "statement_id": "xx_1",
            "country": "xx",
            "language": "en",
            "variant": variant,
            "instruction_id": "t1",
            "label_order": order,
            "label_agree": "agree",
            "label_disagree": "disagree",
            "opposite_type": "contrary",
            "policy_issues": {"law_and_order": 1, "liberal_society": -1},
            "side": "right" if variant == "original" else "left",
            "cluster_id": "xx_1",
            "prompt": "Do you agree?",
        }
        for variant in ("original", "negation")
        for order in ("as-printed", "inverted")
    ]
    return [_sample(n, doc, ["agree", "I disagree."]) for n, doc in enumerate(docs)]


def xphemism() -> list[Sample]:
    """Return the samples of a shifted and a placebo pair."""
    return [
        {
            **claim_sample(
                pair, arm, ["wahr"], id=f"{pair}/{arm}", dataset="xphemism-pairs", dataset_version="1.0.0"
            ),
            "doc_id": number,
        }
        for number, (pair, arm) in enumerate(
            (("a", "base"), ("a", "shifted"), ("b", "base"), ("b", "placebo"))
        )
    ]


def selfassess() -> list[Sample]:
    """Return the samples of the choices about one topic."""
    return [_sample(n, doc, "My preferred article is: 1") for n, doc in enumerate(choice_rows(1))]


def likelihoods(samples: Iterable[Sample]) -> list[Sample]:
    """Return samples of the tasks that compare log-likelihoods."""
    scores = [[-1.5, False], [-0.5, True], [-2.5, False]]
    return [
        {**each, "filtered_resps": scores[: each["doc"].get("ways", 2)], "label_mass": 0.9}
        for each in samples
    ]


SAMPLES: Mapping[str, Callable[[], list[Sample]]] = {
    "polbias_en_formal": partisan,
    "polbias_policy_stance": policy,
    "polbias_policy_stance_loglikelihood": lambda: likelihoods(policy()),
    "polbias_xphemism_simple": xphemism,
    "polbias_xphemism_simple_loglikelihood": lambda: likelihoods(xphemism()),
    "polbias_selfassess_preference": selfassess,
    "polbias_selfassess_preference_loglikelihood": lambda: likelihoods(selfassess()),
}


def analyse(folder: Path) -> None:
    """Read the samples of a folder as the report and the analysis of power do."""
    from polbias.eval.power.design import instruments
    from polbias.eval.power.observed import estimate_design
    from polbias.eval.report.build import build_report
    from polbias.eval.report.reporter import ReportSettings

    build_report([folder], ReportSettings(full=True))
    if find_sample_files([folder])[0].task == "polbias_en_formal":
        estimate_design(instruments()["partisan"], [folder], [])
