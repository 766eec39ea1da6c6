"""English statements that the rules leave alone, and why."""

from __future__ import annotations

import pytest

from polbias.generators.authoring.negation import negate


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("word " * 500, "too-long"),
        ('"The state should act."', "quotation"),
        ("“The state should act.”", "quotation"),
        ("...", "no-finite-verb"),
        ("42", "no-finite-verb"),
        ("Wind turbines", "no-finite-verb"),
        ("For a strong army!", "no-finite-verb"),
        ("Support for families.", "no-finite-verb"),
        ("Tax cuts for families.", "no-finite-verb"),
        ("Ban on fur farming.", "no-finite-verb"),
        ("No to nuclear power!", "no-finite-verb"),
        ("Limiting immigration.", "no-finite-verb"),
        ("To limit immigration.", "no-finite-verb"),
        ("Unmarried couples be taxed together.", "no-finite-verb"),
        ("Tax increases harm growth.", "finite-verb"),
        ("Rents are high. Wages are low.", "several-sentences"),
        ("Rents should fall. Wages should rise.", "several-sentences"),
        ("Drugs should be legal and they should be taxed.", "coordination"),
        ("Drugs are harmful and should be banned.", "coordination"),
        ("Drugs should be banned, but alcohol should be allowed.", "coordination"),
        ("Drugs should be banned; alcohol should be allowed.", "coordination"),
        ("Reform has failed: the state should act.", "coordination"),
        ("Taxes can and should be lowered.", "coordination"),
        ("The state should either raise taxes or cut spending.", "correlative"),
        ("The state should both raise taxes and cut spending.", "correlative"),
        ("The state should be strong, not fair.", "contrast"),
        ("The state should not be strong but fair.", "contrast"),
        ("The EU should not only trade but also defend values.", "contrast"),
        ("Not the state but the cities should decide.", "contrast"),
        ("Voters, not lobbyists, should decide.", "contrast"),
        ("No state but Poland should decide.", "contrast"),
        ("Each canton should decide for itself.", "quantifier"),
        ("Some taxes should be lowered.", "quantifier"),
        ("Most subsidies are useless.", "quantifier"),
        ("Both parents should take leave.", "quantifier"),
        ("Anyone who drives drunk should lose their licence.", "quantifier"),
        ("At least 30% of the seats should go to women.", "quantifier"),
        ("More should be done for the climate.", "quantifier"),
        ("Neither the state nor the church should decide.", "negative-word"),
        ("Few people benefit from tax cuts.", "negative-word"),
        ("The state should hardly interfere.", "negative-word"),
        ("The state should pay nothing.", "negative-word"),
        ("There is nothing wrong with eating meat.", "negative-word"),
        ("No other country should decide.", "negative-word"),
        ("No more than two terms should be allowed.", "negative-word"),
        ("No road should not be built.", "negative-word"),
        ("Pensioners should be allowed to work in some cases.", "polarity"),
        ("The state should at least apologise.", "polarity"),
        ("Women still earn less than men.", "polarity"),
        ("The state should not have acted yet.", "polarity"),
        ("The state need not fund churches.", "polarity"),
        ("The EU has no clout.", "article"),
        ("No taxes or fees should be raised.", "article"),
        ("Why should the state fund museums?", "question"),
        ("Is the tax too high?", "question"),
        ("Under no circumstances should taxes be raised.", "inversion"),
        ("Never should taxes be raised.", "inversion"),
        ("We'd need a bigger army.", "contraction"),
    ],
)
def test_where_the_rule_is_unsure_there_is_no_answer_but_a_reason(statement: str, reason: str) -> None:
    found = negate(statement, "en")
    assert (found.text, found.rule) == (None, f"abstain:{reason}")
    assert found.explanation.endswith(".")
