"""The reader: from the sentences of an item to formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, product

from simplemma import is_known

from polbias.generators.logic.formula import (
    DEONTIC,
    EPISTEMIC,
    Atom,
    ForAll,
    Formula,
    Implies,
    Inference,
    Modal,
    Necessarily,
    Not,
    Or,
    Possibly,
    children,
    constants,
    predicates,
    rebuild,
    single_sentence_symbols,
)
from polbias.generators.logic.prover import ItemReading, ReadingError, ReadingResult
from polbias.generators.normative.reading.coreference import Discourse
from polbias.generators.normative.reading.generics import (
    Contents,
    GenericRule,
    applied_rule,
    contents,
    fill_missing_subjects,
    infer_domain,
    resolve_domain,
    resolve_splits,
    restate_rule,
    with_generic_rule,
)
from polbias.generators.normative.reading.indefinites import (
    inner,
    refuse_quantities,
    scopes,
)
from polbias.generators.normative.reading.lexicon import (
    MODALS,
    SUBJECT_PRONOUNS,
    is_plural,
    lower_words,
    sentences,
    tokens,
    word_set,
)
from polbias.generators.normative.reading.nodes import (
    CERTAIN_OF_NEGATION,
    COULD_NOT_HAVE,
    DENIED_OF_ALL,
    DENIED_OF_EACH,
    DENIES_POSSIBILITY,
    NARROW,
    NOT_ALL_MIGHT,
    SURFACE,
    VARIABLE,
    WIDE,
    ClauseNode,
    Conditional,
    Coordination,
    FormulaBuilder,
    Negation,
    Node,
    Operator,
    clauses,
    is_not_all_might,
    operators,
)
from polbias.generators.normative.reading.quantifiers import class_of
from polbias.generators.normative.reading.scoping import ways_to_take
from polbias.generators.normative.reading.sentences import sentence
from polbias.generators.normative.reading.slips import findings, refuse_foreign

# Other formulas for the same: modal conditions as single clauses, prohibitions as duties not to do.

_COMPOUND, _SECOND_MODALS = word_set("compound"), word_set("second_modals")
_MARKS = {
    (DEONTIC, True): "permitted",
    (DEONTIC, False): "obligatory",
    (EPISTEMIC, True): "possible",
    (EPISTEMIC, False): "certain",
}


def prohibits(inference: Inference) -> bool:
    """Whether a rule of an inference says that something is not permitted, or that it must not be done."""
    for premise in inference.premises:
        rule = premise.body if isinstance(premise, ForAll) else premise
        match rule:
            case Implies(_, Not(Possibly()) | Necessarily(_, Not())):
                return True
    return False


def with_duties(inference: Inference) -> Inference:
    """Return an inference in terms of what must be and must not be, and not of what may be."""

    def change(formula: Formula) -> Formula:
        match formula:
            case Not(Possibly(modality, body)):
                return Necessarily(modality, Not(change(body)))
            case Possibly(modality, body):
                return Not(Necessarily(modality, Not(change(body))))
        return rebuild(formula, change)

    return inference.map(change)


def with_opaque_conditions(inference: Inference) -> Inference:
    """Return an inference with a modal condition as one clause if nothing else is said of its content.

    "If smoking is allowed here, you must open a window" has smoking being allowed as its condition; that this
    is modal matters only if the item speaks of smoking elsewhere.
    """
    for premise in inference.premises:
        if not isinstance(premise, Implies):
            continue
        condition = premise.antecedent
        while isinstance(condition, Not):
            condition = condition.body
        opaque = _opaque(condition)
        if opaque:
            return _replaced(inference, condition, opaque)
    return inference


def _opaque(condition: Formula) -> Atom | None:
    """Return a modal or disjunctive condition as one clause; None for any other."""
    if isinstance(condition, Or):
        return _either(condition.parts)
    if not isinstance(condition, Modal):
        return None
    atom = condition.body.body if isinstance(condition.body, Not) else condition.body
    if not isinstance(atom, Atom):
        return None
    mark = _MARKS.get((condition.modality, isinstance(condition, Possibly)), condition.modality)
    negation = "not " if condition.body is not atom else ""
    return Atom(f"{negation}{atom.predicate} [{mark}]", atom.terms)


def _either(parts: tuple[Formula, ...]) -> Atom | None:
    said = [part.predicate for part in parts if isinstance(part, Atom) and not part.terms]
    return Atom(" or ".join(said)) if len(said) == len(parts) else None


def _replaced(inference: Inference, condition: Formula, opaque: Atom) -> Inference:
    """Return an inference with one clause for a part of it that has its content to itself."""

    def named(formula: Formula) -> Formula:
        return opaque if formula == condition else rebuild(formula, named)

    changed = inference.map(named)
    left = {name for formula in changed.formulas for name in predicates(formula)}
    return changed if left.isdisjoint(predicates(condition)) else inference


def with_opaque_contents(inference: Inference) -> Inference:
    """Return an inference with one premise with a disjunctive or conditional content as one clause.

    "It is not certain that it is red or green" against "it might not be red or green": if both speak of the
    same, nothing depends on what it is made of.
    """
    if len(inference.premises) != 1:
        return inference
    one, other = (_content(formula) for formula in inference.formulas)
    if one != other or not isinstance(one, Or | Implies):
        return inference
    whole = _either(one.parts) if isinstance(one, Or) else _when(one)
    return _replaced(inference, one, whole) if whole else inference


def _when(conditional: Implies) -> Atom | None:
    match conditional:
        case Implies(Atom(condition, ()), Atom(consequence, ())):
            return Atom(f"{consequence} if {condition}")
    return None


def _content(formula: Formula) -> Formula:
    """Return what stands under the negations and operators of a formula."""
    while isinstance(formula, Not | Modal):
        formula = formula.body
    return formula


def _only_denied(formula: Formula) -> bool:
    """Whether all clauses of a formula are denied."""
    match formula:
        case Not(Atom()):
            return True
        case Atom():
            return False
    return all(map(_only_denied, children(formula)))


def with_named_denials(inference: Inference) -> Inference:
    """Return an inference with "not A" as one clause, and A, where it stands alone, as the denial of that."""
    denied = _conditions(inference)

    def named(formula: Formula) -> Formula:
        match formula:
            case Not(Atom() as clause) if not denied or clause in denied:
                return _denial(clause)
            case Atom() if formula in denied:
                return Not(_denial(formula))
        return rebuild(formula, named)

    return inference.map(named)


def _denial(atom: Atom) -> Atom:
    return Atom(f"not {atom.predicate}", atom.terms)


def _conditions(inference: Inference) -> frozenset[Formula]:
    """Return the clauses whose denial is the condition of a conditional."""
    return frozenset(
        premise.antecedent.body
        for premise in inference.premises
        if isinstance(premise, Implies) and isinstance(premise.antecedent, Not)
    )


def denied_condition(inference: Inference) -> bool:
    """Whether an inference has a clause alone, too, whose denial is the condition of a conditional."""
    denied = _conditions(inference)
    return any(isinstance(clause, Atom) and clause in inference.formulas for clause in denied)


# Whole items: sentences that speak of the same things, read together.

_MOST = 64
# Whoever is in the only class of an item is in it whatever may be, and is all that there is.
FIXED = "the same whatever happens"
Choices = dict[str, str]


@lru_cache(maxsize=1 << 14)
def _parsed(text: str, conditional: bool) -> tuple[tuple[str, ...], Node]:
    """Return the words of a sentence as written, and what the grammar finds in it."""
    written = tokens(text)
    try:
        return tuple(written), sentence(lower_words(written), conditional)
    except ReadingError as problem:
        raise ReadingError(f"{text!r}: {problem}") from None


def read_item(
    premise: str, hypothesis: str, domain: str | None = None, flavoured: bool = False
) -> ReadingResult:
    """Read an inference item; flavoured: with flavours of the epistemic domain as different operators."""
    given, concluded = sentences(premise), sentences(hypothesis)
    if not given or len(concluded) != 1:
        raise ReadingError(f"{premise!r} / {hypothesis!r}: expected premises, and one sentence as hypothesis")
    refuse_foreign(f"{premise} {hypothesis}")
    # With one premise, "if" after the main clause belongs to what is obligatory or certain.
    parsed = [_parsed(text, len(given) > 1) for text in (*given, *concluded)]
    nodes = [part for _, node in parsed[:-1] for part in _conjuncts(node)] + [parsed[-1][1]]
    modal = {operator.modality for node in nodes for operator in operators(node)}
    either = domain is None and modal == {"?"}
    domain = domain or infer_domain(nodes)
    said = resolve_splits(resolve_domain(nodes, domain, flavoured))
    discourse = Discourse()
    nodes = [discourse.resolve(node) for node in with_generic_rule(said)]
    nodes = restate_rule(nodes)
    rule = applied_rule(nodes)
    syllogistic = rule is not None or _syllogistic(nodes)
    nodes = fill_missing_subjects(nodes, discourse.topic, syllogistic)
    refuse_quantities(nodes)
    plurals = _plurals([written for written, _ in parsed])
    readings = _item(nodes, syllogistic, rule, plurals).readings()
    _refuse_compounds(readings[0].inference)
    found = findings([written for written, _ in parsed], said, domain, discourse.clashes)
    return ReadingResult(readings, found, either)


def _conjuncts(node: Node) -> Iterator[Node]:
    """Yield the sentences that "and" joins in a premise."""
    if isinstance(node, Coordination) and not node.disjunctive:
        for part in node.parts:
            yield from _conjuncts(part)
    else:
        yield node


def _plurals(written: Sequence[tuple[str, ...]]) -> frozenset[str]:
    """Return the words of an item that are nouns in the plural, and not names."""
    return frozenset(
        word.lower()
        for sentence in written
        for at, word in enumerate(sentence)
        if is_plural(word.lower()) and (word.islower() or (at == 0 and is_known(word.lower(), lang="en")))
    )


def _refuse_compounds(inference: Inference) -> None:
    """Refuse an item where more may follow from a clause than its form shows, as it says several things.

    That does not matter where the clause comes again as it is.
    """
    for name in dict.fromkeys(name for formula in inference.formulas for name in predicates(formula)):
        words = name.split()
        joint = next((at for at, word in enumerate(words) if word in ("and", "or", "but")), len(words))
        if words[joint + 1 : joint + 2] and (
            MODALS & set(words[joint:]) or words[joint + 1] in SUBJECT_PRONOUNS
        ):
            raise ReadingError(f"cannot take {name!r} apart")
    lone = single_sentence_symbols(inference, predicates) | single_sentence_symbols(inference, constants)
    several = len(set(lone.values())) > 1
    for name in lone:
        words = name.split()
        if _SECOND_MODALS & set(words[1:]) or (several and _COMPOUND & set(words)):
            raise ReadingError(f"cannot take {name!r} apart")


def _syllogistic(nodes: list[Node]) -> bool:
    if len(nodes) < 3 or not all(isinstance(node, ClauseNode | Negation | Operator) for node in nodes):
        return False
    return any(clause.quantifier for node in nodes for clause in clauses(node))


def _item(
    nodes: list[Node], syllogistic: bool, rule: GenericRule | None, plurals: frozenset[str]
) -> _ItemReading:
    """Name the contents of an item, and of the other ways to take its subjects."""
    nodes, name, others = ways_to_take(nodes, syllogistic, rule is not None, plurals)
    said = contents(nodes, syllogistic, rule)
    ways = {value: contents(other, syllogistic, rule) for value, other in others.items()}
    return _ItemReading(said, rule, name, ways)


@dataclass(frozen=True)
class _ItemReading:
    """An item with its contents named.

    Attributes:
        said: what its sentences say.
        rule: a conditional that is applied to somebody, or None.
        name: of a choice that changes what they say, or ``""``.
        others: what they say then, by the value of that choice.
    """

    contents: Contents
    rule: GenericRule | None
    name: str = ""
    alternative_contents: Mapping[str, Contents] = field(default_factory=dict)

    def readings(self) -> tuple[ItemReading, ...]:
        """Return the readings, the most natural one first."""
        options = self._options()
        settlings = islice(product(*options.values()), _MOST)
        readings = [
            ItemReading(self._inference(choices), choices)
            for choices in (dict(zip(options, values, strict=True)) for values in settlings)
        ]
        # The surface scope is mostly one of the others.
        known = {reading.inference for reading in readings if reading.choices.get("scope") != SURFACE}
        return tuple(
            reading
            for reading in readings
            if not known or reading.choices.get("scope") != SURFACE or reading.inference not in known
        )

    def _options(self) -> dict[str, tuple[str, ...]]:
        """Return what the language leaves open, with the ways to settle it."""
        options: dict[str, tuple[str, ...]] = {}
        nodes = self.contents.nodes
        found = [operator for node in nodes for operator in operators(node)]
        if any(operator.word == "choose" for operator in found):
            options["can choose to"] = ("permission", "bilateral")
        if any(map(is_not_all_might, found)):
            options[NOT_ALL_MIGHT] = (DENIED_OF_ALL, DENIED_OF_EACH)
        if self.name == "kind":
            options["kind"] = ("quantified", "term")
        if self.name == "adverbial":
            options["adverbial"] = ("modifies", "restricts")
        if self.name == "generic":
            options["generic"] = ("kind", *self.alternative_contents)
        options |= self._scope_options()
        if self.contents.doubtful or (self.rule and self.rule.noun):
            options["head noun"] = ("understood", "stated")
        ways = [said.names for said in (self.contents, *self.alternative_contents.values())]
        if any(names.loose for names in ways):
            likely = any(names.likely for names in ways)
            options["paraphrase"] = ("same", "different") if likely else ("different", "same")
        if any(names.tense_matters for names in ways):
            options["tense"] = ("disregarded", "respected")
        if any(operator.word == COULD_NOT_HAVE and operator.modality != DEONTIC for operator in found):
            options[COULD_NOT_HAVE] = self._impossible(options)
        if len(nodes) < 3 and all(map(_only_denied, self._natural(options).formulas)):
            options["negation"] = ("of the clause", "within the clause")
        if isinstance(nodes[0], Conditional) and denied_condition(self._natural(options)):
            options["negation"] = ("of the clause", "within the clause")
        possible = len(nodes) > 2 and any(operator.force == "possible" for operator in found)
        if possible and prohibits(self._natural(options)):
            options["prohibition"] = ("no permission", "duty not to")
        return options

    def _scope_options(self) -> dict[str, tuple[str, ...]]:
        """Return the choices of the scope of subjects, and whether their classes may be empty."""
        options: dict[str, tuple[str, ...]] = {}
        nodes, single = self.contents.nodes, len(self.contents.nodes) < 3
        quantifiers = {clause.quantifier for node in nodes for clause in clauses(node)}
        indefinite = (SURFACE, *self._scopes())
        if "some" in quantifiers and self.name == "scope":
            options["scope"] = indefinite
        else:
            if "some" in quantifiers and len(indefinite) > 1:
                options["indefinite"] = indefinite
            if self.contents.classes and (scoped := self._scoped()):
                forms = (isinstance(node, Negation) and isinstance(node.body, Operator) for node in scoped)
                options["scope"] = ("de dicto", "de re") if single or all(forms) else ("de re", "de dicto")
                options["scope"] += (SURFACE,) if single else ()
        denied = any(
            clause.quantifier and any(isinstance(wrapper, Negation) and wrapper.outer for wrapper in around)
            for node in (nodes if single else nodes[-1:] if not self.name else [])
            for clause, around in scopes(node)
        )
        if denied or ("some" in quantifiers and quantifiers & {"all", "any", "no", "only"}):
            options["classes"] = ("may be empty", "not empty")
        if self.name in ("scope", "") and not self.alternative_contents and self._is_one_class():
            options["classes"] = (*options.get("classes", ("may be empty",)), FIXED)
        return options

    def _is_one_class(self) -> bool:
        """Whether operators stand beside quantifiers over one class, of which nothing else is said."""
        named = self.contents
        places = {at for ats in named.classes.values() for at in ats}
        classes = {named.names.of[at] for at in places}
        others = {name for at, name in enumerate(named.names.of) if at not in places}
        modal = any(next(operators(node), None) for node in named.nodes)
        return modal and len(classes) == 1 and not classes & others and not named.individuals

    def _natural(self, options: Mapping[str, tuple[str, ...]], **more: str) -> Inference:
        return self._inference({name: values[0] for name, values in options.items()} | more)

    def _impossible(self, options: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """Return how to take "could not have": so first that the conclusion does not repeat a premise."""
        denied, certain = (
            self._natural(options, **{COULD_NOT_HAVE: way})
            for way in (DENIES_POSSIBILITY, CERTAIN_OF_NEGATION)
        )
        repeating = denied.conclusion in denied.premises and certain.conclusion not in certain.premises
        return (
            (CERTAIN_OF_NEGATION, DENIES_POSSIBILITY)
            if repeating
            else (DENIES_POSSIBILITY, CERTAIN_OF_NEGATION)
        )

    def _scopes(self) -> list[str]:
        """Return the scopes besides that of the surface that subjects can have."""
        found = [
            around
            for node in self.contents.nodes
            for clause, around in scopes(node)
            if clause.quantifier == "some"
        ]
        narrow = any(isinstance(wrapper, Operator) for around in found for wrapper in inner(around)[:1])
        wide = any(isinstance(wrapper, Operator) and wrapper.outer for around in found for wrapper in around)
        return [NARROW] * narrow + [WIDE] * wide

    def _scoped(self) -> list[Node]:
        """Return the sentences whose operator can take the quantifier into its scope or leave it out."""
        return [
            node
            for node in self.contents.nodes
            if any(
                (operator.outer or len(self.contents.nodes) < 3)
                and any(clause.quantifier for clause in clauses(operator.body))
                for operator in operators(node)
            )
        ]

    def _inference(self, choices: Choices) -> Inference:
        named = self.alternative_contents.get(choices.get(self.name, ""), self.contents)
        nodes = named.nodes
        same, tense = choices.get("paraphrase") != "different", choices.get("tense") == "respected"

        def atom(at: int, about: str = VARIABLE) -> Atom:
            return Atom(named.names.name(at, same, tense), (about,) if about else ())

        said: dict[int, list[Atom]] = {}
        restrictions: dict[int, Formula | None] = {}
        stated = choices.get("head noun") == "stated"
        for clause in (clause for node in nodes for clause in clauses(node)):
            about = VARIABLE if clause.quantifier else named.individuals.get(clause.subject, "")
            said[id(clause)] = [atom(at, about) for at in named.positions[id(clause)]]
            if clause.quantifier:
                # The things that the generic subjects of an item speak of are all that there are.
                fixed = self.name == "generic" or choices.get("classes") == FIXED
                restrictions[id(clause)] = None if fixed else _restriction(named, clause, stated, atom)
        rules: dict[int, Atom | None] = {}
        if self.rule:
            noun = self.rule.noun if stated else ""
            rules[id(nodes[self.rule.at])] = Atom(noun, (VARIABLE,)) if noun else None
        builder = FormulaBuilder(choices, len(nodes) < 3, said, restrictions, rules)
        formulas = [builder.build(node) for node in nodes]
        premises = formulas[:-1]
        if choices.get("classes") == "not empty":
            groups = (each for each in restrictions.values() if each is not None)
            premises += [Not(ForAll((VARIABLE,), Not(each))) for each in groups]
        found = with_opaque_contents(Inference(tuple(premises), formulas[-1]))
        if isinstance(nodes[0], Conditional):
            found = with_opaque_conditions(found)
        if "within" in choices.get("negation", ""):
            found = with_named_denials(found)
        if choices.get("prohibition") == "duty not to":
            found = with_duties(found)
        return found


def _restriction(
    named: Contents, clause: ClauseNode, stated: bool, atom: Callable[[int], Atom]
) -> Formula | None:
    """Return what restricts a quantifier; the head noun of its class is understood unless it is stated."""
    at, *others = named.classes[id(clause)]
    if others:
        return Or(tuple(map(atom, (at, *others))))
    understood = not stated and at in named.restricted
    if not stated and not understood and at in named.doubtful:
        return None
    found, group = atom(named.restricted[at] if understood else at), class_of(clause.subject)
    return Not(found) if group.negated and (understood or group.generic) else found
