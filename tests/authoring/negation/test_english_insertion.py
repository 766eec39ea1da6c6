"""English statements without a negation: where "not" or "no" goes, and with what."""

from __future__ import annotations

import pytest

from polbias.generators.authoring.negation import negate


def _check(statement: str, negation: str, rule: str) -> None:
    found = negate(statement, "en")
    assert (found.text, found.rule) == (negation, rule)


# The place of "not" is marked with "_"; it goes in as " not".
@pytest.mark.parametrize(
    "marked",
    [
        "The city should_ hire more teachers.",
        "Wolves may_ be shot.",
        "Doctors ought_ to be allowed to help.",
        "The reform would_ harm farmers.",
        "Nuclear power is_ a safe source of energy.",
        "Women are_ to be paid equally.",
        "Germany has_ signed the treaty.",
        "The state is_ obliged to help.",
        "Rich people should_ pay more taxes than they do now.",
        "Museums are_ too expensive.",
        "The museum should therefore_ be closed.",
        "Poland should of course_ help.",
        "The state had better_ wait.",
        "The EU should_ act before it is too late.",
        "Immigration should_ be limited or stopped.",
        "The law should_ be repealed and replaced.",
        "The state should_ be strong but fair.",
        "It's_ time to act.",
        "That's_ wrong.",
    ],
)
def test_not_stands_behind_the_auxiliary(marked: str) -> None:
    _check(marked.replace("_", ""), marked.replace("_", " not"), "not-after-auxiliary")


@pytest.mark.parametrize(
    "marked",
    [
        # fronted clauses and adverbials
        "If the budget allows it, the city should_ hire more teachers.",
        "If taxes rise and wages fall, the state should_ intervene.",
        "As long as the war lasts, weapons should_ be delivered.",
        "After the war ended, borders should_ have been opened.",
        "Before it is too late, the EU should_ act.",
        "Should the crisis continue, the state should_ act.",
        "When renting out flats, landlords should_ be allowed to set rents freely.",
        "Where possible, trains should_ replace planes.",
        "In the case of rape, abortion should_ be legal.",
        "Next year the state should_ hold a referendum.",
        "Today, taxes are_ too high.",
        # relative clauses and other clauses within the subject
        "Foreign nationals who commit crimes should_ be deported.",
        "Foreign nationals who commit crimes and refuse to work should_ be deported.",
        "Companies that pollute rivers should_ pay for the damage.",
        "Children whose parents cannot pay should_ get free lunches.",
        "The taxes the state levies should_ be lowered.",
        "The taxes citizens pay should_ be lowered.",
        "The EU, which has 27 members, should_ shrink.",
        "The idea that the state knows best is_ wrong.",
        "Whether the war is just is_ unclear.",
        "What the state does is_ wrong.",
        "Whoever pollutes should_ pay.",
        "How schools are funded should_ be decided locally.",
        "Goods imported from China should_ be taxed.",
        # clauses behind the main verb
        "It is_ important that the state funds museums.",
        "It is_ good that the Netherlands gives development aid.",
        "The government should_ ensure that all children can swim.",
        "Cities should_ decide whether cars are banned.",
        # subjects
        "Hospitals, schools, and universities should_ stay in public hands.",
        "Raising taxes is_ unfair.",
        "Drinking and driving should_ be punished more severely.",
        "To limit migration is_ wrong.",
        "The political will to reform is_ weak.",
        "The will of the people should_ be respected.",
        "Children with special needs should_ attend regular schools.",
        # between commas
        "The Netherlands should_, just like Belgium, introduce road pricing.",
        "Poland should_, above all, defend its borders.",
    ],
)
def test_it_is_the_main_clause_that_is_negated(marked: str) -> None:
    _check(marked.replace("_", ""), marked.replace("_", " not"), "not-after-auxiliary")


def test_can_becomes_one_word_with_not() -> None:
    _check(
        "Foreigners can vote in local elections.",
        "Foreigners cannot vote in local elections.",
        "not-after-auxiliary",
    )


@pytest.mark.parametrize(
    ("statement", "negation"),
    [
        ("We'll need a bigger army.", "We will not need a bigger army."),
        ("They've done enough.", "They have not done enough."),
    ],
)
def test_a_contraction_that_takes_no_not_is_written_out(statement: str, negation: str) -> None:
    _check(statement, negation, "not-after-auxiliary")


@pytest.mark.parametrize(
    ("statement", "negation"),
    [
        ("Immigration threatens our culture.", "Immigration does not threaten our culture."),
        ("Immigrants take our jobs.", "Immigrants do not take our jobs."),
        ("Unions lost power.", "Unions did not lose power."),
        ("The reform weakened the unions.", "The reform did not weaken the unions."),
        (
            "The growth of inequality undermines democracy.",
            "The growth of inequality does not undermine democracy.",
        ),
        ("Raising taxes harms families.", "Raising taxes does not harm families."),
        ("Germany always pays too much.", "Germany does not always pay too much."),
        ("The rich pay too little.", "The rich do not pay too little."),
        ("Germany has too many holidays.", "Germany does not have too many holidays."),
        ("Germany has to leave NATO.", "Germany does not have to leave NATO."),
        ("The EU needs to be reformed.", "The EU does not need to be reformed."),
        ("The police need more staff.", "The police do not need more staff."),
        ("The government does a good job.", "The government does not do a good job."),
        ("Crime pays.", "Crime does not pay."),
        ("Poland needs what others have.", "Poland does not need what others have."),
        ("I believe that taxes should be raised.", "I do not believe that taxes should be raised."),
        ("I think taxes should be raised.", "I do not think taxes should be raised."),
        (
            "People who have worked all their lives deserve a decent pension.",
            "People who have worked all their lives do not deserve a decent pension.",
        ),
    ],
)
def test_a_lexical_verb_takes_do_support_that_agrees(statement: str, negation: str) -> None:
    _check(statement, negation, "do-support")


@pytest.mark.parametrize(
    ("statement", "negation"),
    [
        ("There is a need for more police.", "There is no need for more police."),
        ("There are jobs that nobody wants.", "There are no jobs that nobody wants."),
        ("There is discrimination in offices.", "There is no discrimination in offices."),
    ],
)
def test_an_indefinite_existential_takes_no(statement: str, negation: str) -> None:
    _check(statement, negation, "no-determiner")


@pytest.mark.parametrize(
    "marked",
    [
        "There are_ enough nurses.",
        "There are_ too many wolves in the Alps.",
        "There should_ be a ban on fur farms.",
        "There should_ be a referendum on the euro.",
        "There has_ been a decline in trust.",
    ],
)
def test_other_existentials_take_not(marked: str) -> None:
    _check(marked.replace("_", ""), marked.replace("_", " not"), "not-after-auxiliary")


@pytest.mark.parametrize(
    ("statement", "negation"),
    [
        ("All new buildings should have solar panels.", "Not all new buildings should have solar panels."),
        ("Every child should learn two languages.", "Not every child should learn two languages."),
        ("Everyone pays too much tax.", "Not everyone pays too much tax."),
        (
            "Only those who have paid should receive a pension.",
            "Not only those who have paid should receive a pension.",
        ),
        (
            "In future, all schools should serve vegetarian meals.",
            "In future, not all schools should serve vegetarian meals.",
        ),
        (
            "In future all schools should serve vegetarian meals.",
            "In future not all schools should serve vegetarian meals.",
        ),
        (
            "From 2030 only electric cars should be registered.",
            "From 2030 not only electric cars should be registered.",
        ),
        ("Only in emergencies should taxes be raised.", "Not only in emergencies should taxes be raised."),
    ],
)
def test_a_quantifier_or_only_at_the_beginning_of_the_subject_is_denied_there(
    statement: str, negation: str
) -> None:
    _check(statement, negation, "focus-word")


@pytest.mark.parametrize(
    "marked",
    [
        "Every four years, the council should_ report.",
        "All in all, the reform was_ a success.",
        "All-day schools should_ be expanded.",
        "To protect all citizens the state should_ act.",
    ],
)
def test_a_quantifier_that_begins_no_subject_is_left_alone(marked: str) -> None:
    _check(marked.replace("_", ""), marked.replace("_", " not"), "not-after-auxiliary")


def test_some_becomes_any_in_an_object() -> None:
    _check(
        "The state should give some support to artists.",
        "The state should not give any support to artists.",
        "not-after-auxiliary",
    )


@pytest.mark.parametrize(
    ("statement", "negation", "rule"),
    [
        ("Cyclists should pay a tax, too.", "Cyclists should not pay a tax.", "not-after-auxiliary"),
        ("Cyclists may vote as well.", "Cyclists may not vote.", "not-after-auxiliary"),
        ("The museum should also be free.", "The museum should not be free.", "not-after-auxiliary"),
        ("The ban also covers cigars.", "The ban does not cover cigars.", "do-support"),
        ("Even the rich should pay less.", "The rich should not pay less.", "not-after-auxiliary"),
        ("The rich should pay even more.", "The rich should not pay even more.", "not-after-auxiliary"),
        (
            "Coal should go even if it costs jobs.",
            "Coal should not go if it costs jobs.",
            "not-after-auxiliary",
        ),
        ("Sadly, the bill has failed.", "The bill has not failed.", "not-after-auxiliary"),
    ],
)
def test_what_says_that_it_holds_of_others_goes(statement: str, negation: str, rule: str) -> None:
    _check(statement, negation, rule)


@pytest.mark.parametrize(
    ("statement", "negation"),
    [
        ("The museum is still needed.", "The museum is no longer needed."),
        ("Women still earn less than men.", "Women no longer earn less than men."),
        ("The rich have already paid enough.", "The rich have not yet paid enough."),
        ("Germany already pays too much.", "Germany does not yet pay too much."),
    ],
)
def test_adverbs_of_phase_become_what_denies_them(statement: str, negation: str) -> None:
    _check(statement, negation, "phased")


@pytest.mark.parametrize(
    ("statement", "negation"),
    [
        ("To cut emissions, cars should be slower.", "Cars should not be slower to cut emissions."),
        ("Because of the war, gas should be rationed.", "Gas should not be rationed because of the war."),
        ("Instead of roads, cities should build trams.", "Cities should not build trams instead of roads."),
    ],
)
def test_an_aim_or_reason_in_front_goes_to_where_it_is_denied(statement: str, negation: str) -> None:
    assert negate(statement, "en").text == negation


@pytest.mark.parametrize(
    ("statement", "negation"),
    [
        ("Each canton should decide for itself.", "Not every canton should decide for itself."),
        ("Anyone who drives drunk should pay.", "Not everyone who drives drunk should pay."),
        ("Any help should be accepted.", "Not all help should be accepted."),
        ("The police may stop any car.", "The police may not stop just any car."),
    ],
)
def test_a_free_any_is_no_any_under_a_negation(statement: str, negation: str) -> None:
    assert negate(statement, "en").text == negation


@pytest.mark.parametrize(
    "marked",
    [
        "We must_ build dams.",
        "To better protect the coast we must_ build dams.",
        "Should the crisis continue, the state must_ act.",
        "There must_ be a referendum on the euro.",
        "Poland must_, above all, defend its borders.",
    ],
)
def test_must_becomes_need_not(marked: str) -> None:
    _check(marked.replace("_", ""), marked.replace("must_", "need not"), "need-not")


@pytest.mark.parametrize(
    ("statement", "negation"),
    [
        ("Should churches be taxed?", "Should churches not be taxed?"),
        ("Should the state fund museums?", "Should the state not fund museums?"),
        ("Do you support a wealth tax?", "Do you not support a wealth tax?"),
        ("Is it right to eat meat?", "Is it not right to eat meat?"),
        ("Can the state forbid this?", "Can the state not forbid this?"),
    ],
)
def test_a_question_is_negated_behind_its_subject(statement: str, negation: str) -> None:
    _check(statement, negation, "question")


@pytest.mark.parametrize(
    ("statement", "negation"),
    [
        ("Abolish the wealth tax.", "Do not abolish the wealth tax."),
        ("Ban fur farming.", "Do not ban fur farming."),
        ("Raise the minimum wage to 15 euros!", "Do not raise the minimum wage to 15 euros!"),
        ("Let us raise taxes.", "Let us not raise taxes."),
        ("Let's raise taxes.", "Let's not raise taxes."),
        ("Please raise taxes.", "Please do not raise taxes."),
        ("Be brave.", "Do not be brave."),
    ],
)
def test_a_demand_takes_do_not(statement: str, negation: str) -> None:
    _check(statement, negation, "imperative")


@pytest.mark.parametrize(
    "marked",
    [
        'The "debt brake" should_ be relaxed.',
        "A tax of 3.5% on assets over 1,000,000 euros (e.g. houses, which are expensive) should_ be introduced.",
        "Rents are high. This cap should_ be lifted.",
        "1. The state should_ act.",
        "The state should_ act",
        "the state should_ act!",
        "The state’s debts should_ be cut.",
        "The EU – like the UN – should_ shrink.",
    ],
)
def test_what_is_quoted_in_brackets_or_said_beside_the_demand_stays(marked: str) -> None:
    _check(marked.replace("_", ""), marked.replace("_", " not"), "not-after-auxiliary")


def test_capitals_stay_capitals() -> None:
    _check("THE STATE SHOULD ACT.", "THE STATE SHOULD NOT ACT.", "not-after-auxiliary")


def test_the_explanation_names_the_word() -> None:
    assert '"harms"' in negate("Immigration harms the economy.", "en").explanation
    assert '"does not harm"' in negate("Immigration harms the economy.", "en").explanation
    assert '"should"' in negate("The state should act.", "en").explanation


def test_an_unknown_language_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="de, en, es, it"):
        negate("Staten bør handle.", "da")
