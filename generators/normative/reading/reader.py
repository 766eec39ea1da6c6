"""Reader: from the sentences of an item to formulas."""

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
    fill_missing_subjects,
    infer_domain,
    name_contents,
    resolve_domain,
    resolve_splits,
    restate_rule,
    with_generic_rule,
)
from polbias.generators.normative.reading.indefinites import (
    inner_wrappers,
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
from polbias.generators.normative.reading.scoping import resolve_subjects
from polbias.generators.normative.reading.sentences import sentence
from polbias.generators.normative.reading.slips import find_slips, refuse_foreign

# Alternative formulas: modal conditions as single atoms, prohibitions as duties not to act.

_COMPOUND, _SECOND_MODALS = word_set("compound"), word_set("second_modals")
_MARKS = {
    (DEONTIC, True): "permitted",
    (DEONTIC, False): "obligatory",
    (EPISTEMIC, True): "possible",
    (EPISTEMIC, False): "certain",
}


def has_prohibition(inference: Inference) -> bool:
    """Whether a rule of an inference is a prohibition: not permitted, or a duty not to act."""
    for premise in inference.premises:
        rule = premise.body if isinstance(premise, ForAll) else premise
        match rule:
            case Implies(_, Not(Possibly()) | Necessarily(_, Not())):
                return True
    return False


def with_duties(inference: Inference) -> Inference:
    """Return an inference with permissions expressed by duties."""

    def change(formula: Formula) -> Formula:
        match formula:
            case Not(Possibly(modality, body)):
                return Necessarily(modality, Not(change(body)))
            case Possibly(modality, body):
                return Not(Necessarily(modality, Not(change(body))))
        return rebuild(formula, change)

    return inference.map(change)


def with_opaque_conditions(inference: Inference) -> Inference:
    """Return an inference with a modal condition as one atom, if its content does not occur elsewhere.

    Example: "If smoking is allowed here, you must open a window", without another clause about smoking.
    """
    for premise in inference.premises:
        if not isinstance(premise, Implies):
            continue
        condition = premise.antecedent
        while isinstance(condition, Not):
            condition = condition.body
        opaque = _opaque_atom(condition)
        if opaque:
            return _replace_formula(inference, condition, opaque)
    return inference


def _opaque_atom(condition: Formula) -> Atom | None:
    """Return a modal or disjunctive condition as one atom; None for any other."""
    if isinstance(condition, Or):
        return _disjunction_atom(condition.parts)
    if not isinstance(condition, Modal):
        return None
    atom = condition.body.body if isinstance(condition.body, Not) else condition.body
    if not isinstance(atom, Atom):
        return None
    mark = _MARKS.get((condition.modality, isinstance(condition, Possibly)), condition.modality)
    negation = "not " if condition.body is not atom else ""
    return Atom(f"{negation}{atom.predicate} [{mark}]", atom.terms)


def _disjunction_atom(parts: tuple[Formula, ...]) -> Atom | None:
    names = [part.predicate for part in parts if isinstance(part, Atom) and not part.terms]
    return Atom(" or ".join(names)) if len(names) == len(parts) else None


def _replace_formula(inference: Inference, condition: Formula, opaque: Atom) -> Inference:
    """Return an inference with a condition replaced by an atom, if its content does not occur elsewhere."""

    def substitute(formula: Formula) -> Formula:
        return opaque if formula == condition else rebuild(formula, substitute)

    changed = inference.map(substitute)
    names = {name for formula in changed.formulas for name in predicates(formula)}
    return changed if names.isdisjoint(predicates(condition)) else inference


def with_opaque_contents(inference: Inference) -> Inference:
    """Return an inference of one premise with the shared disjunctive or conditional content as one atom.

    Example: "It is not certain that it is red or green", "it might not be red or green". The structure of
    the content does not affect the inference.
    """
    if len(inference.premises) != 1:
        return inference
    premise_content, conclusion_content = (_content(formula) for formula in inference.formulas)
    if premise_content != conclusion_content or not isinstance(premise_content, Or | Implies):
        return inference
    atom = (
        _disjunction_atom(premise_content.parts)
        if isinstance(premise_content, Or)
        else _conditional_atom(premise_content)
    )
    return _replace_formula(inference, premise_content, atom) if atom else inference


def _conditional_atom(conditional: Implies) -> Atom | None:
    match conditional:
        case Implies(Atom(condition, ()), Atom(consequence, ())):
            return Atom(f"{consequence} if {condition}")
    return None


def _content(formula: Formula) -> Formula:
    """Return the operand under the negations and operators of a formula."""
    while isinstance(formula, Not | Modal):
        formula = formula.body
    return formula


def _is_fully_negated(formula: Formula) -> bool:
    """Whether all atoms of a formula are negated."""
    match formula:
        case Not(Atom()):
            return True
        case Atom():
            return False
    return all(map(_is_fully_negated, children(formula)))


def with_named_denials(inference: Inference) -> Inference:
    """Return an inference with "not A" as one atom, and other occurrences of A as its negation."""
    conditions = _negated_conditions(inference)

    def substitute(formula: Formula) -> Formula:
        match formula:
            case Not(Atom() as clause) if not conditions or clause in conditions:
                return _negated_atom(clause)
            case Atom() if formula in conditions:
                return Not(_negated_atom(formula))
        return rebuild(formula, substitute)

    return inference.map(substitute)


def _negated_atom(atom: Atom) -> Atom:
    return Atom(f"not {atom.predicate}", atom.terms)


def _negated_conditions(inference: Inference) -> frozenset[Formula]:
    """Return the operands of negated conditions."""
    return frozenset(
        premise.antecedent.body
        for premise in inference.premises
        if isinstance(premise, Implies) and isinstance(premise.antecedent, Not)
    )


def repeats_negated_condition(inference: Inference) -> bool:
    """Whether the operand of a negated condition is also a premise or the conclusion."""
    conditions = _negated_conditions(inference)
    return any(isinstance(clause, Atom) and clause in inference.formulas for clause in conditions)


# Items: sentences about the same contents, read together.

_MAX_READINGS = 64
# The only class of an item is the domain of quantification, the same in all worlds.
FIXED = "the same whatever happens"
Choices = dict[str, str]


@lru_cache(maxsize=1 << 14)
def _parse_sentence(text: str, conditional: bool) -> tuple[tuple[str, ...], Node]:
    """Return the tokens and the syntax tree of a sentence."""
    raw_tokens = tokens(text)
    try:
        return tuple(raw_tokens), sentence(lower_words(raw_tokens), conditional)
    except ReadingError as problem:
        raise ReadingError(f"{text!r}: {problem}") from None


def read_item(
    premise: str, hypothesis: str, domain: str | None = None, flavoured: bool = False
) -> ReadingResult:
    """Parse an inference item into its interpretations, the most natural one first.

    Args:
        premise: one or more sentences.
        hypothesis: one sentence.
        domain: deontic or epistemic; inferred from the sentences if None.
        flavoured: whether flavours of the epistemic domain are different operators.

    Raises:
        ReadingError: for a sentence that cannot be parsed, or an ambiguity that cannot be resolved.
    """
    premise_sentences, hypothesis_sentences = sentences(premise), sentences(hypothesis)
    if not premise_sentences or len(hypothesis_sentences) != 1:
        raise ReadingError(f"{premise!r} / {hypothesis!r}: expected premises, and one sentence as hypothesis")
    refuse_foreign(f"{premise} {hypothesis}")
    # With one premise, a postposed "if" clause is part of the operand of the modal operator.
    parsed = [
        _parse_sentence(text, len(premise_sentences) > 1)
        for text in (*premise_sentences, *hypothesis_sentences)
    ]
    nodes = [part for _, node in parsed[:-1] for part in _conjuncts(node)] + [parsed[-1][1]]
    modalities = {operator.modality for node in nodes for operator in operators(node)}
    has_either_domain = domain is None and modalities == {"?"}
    domain = domain or infer_domain(nodes)
    resolved = resolve_splits(resolve_domain(nodes, domain, flavoured))
    discourse = Discourse()
    nodes = [discourse.resolve(node) for node in with_generic_rule(resolved)]
    nodes = restate_rule(nodes)
    rule = applied_rule(nodes)
    syllogistic = rule is not None or _is_syllogism(nodes)
    nodes = fill_missing_subjects(nodes, discourse.topic, syllogistic)
    refuse_quantities(nodes)
    plurals = _plural_nouns([raw_tokens for raw_tokens, _ in parsed])
    readings = _name_item(nodes, syllogistic, rule, plurals).readings()
    _refuse_compounds(readings[0].inference)
    slips = find_slips([raw_tokens for raw_tokens, _ in parsed], resolved, domain, discourse.clashes)
    return ReadingResult(readings, slips, has_either_domain)


def _conjuncts(node: Node) -> Iterator[Node]:
    """Yield the sentences of a premise that are joined by "and"."""
    if isinstance(node, Coordination) and not node.disjunctive:
        for part in node.parts:
            yield from _conjuncts(part)
    else:
        yield node


def _plural_nouns(raw_tokens: Sequence[tuple[str, ...]]) -> frozenset[str]:
    """Return the plural nouns of an item, without names."""
    return frozenset(
        word.lower()
        for sentence_tokens in raw_tokens
        for index, word in enumerate(sentence_tokens)
        if is_plural(word.lower()) and (word.islower() or (index == 0 and is_known(word.lower(), lang="en")))
    )


def _refuse_compounds(inference: Inference) -> None:
    """Raise ReadingError for an item with a compound clause that occurs in one sentence only.

    Its parts can have consequences that its atom does not show; a repeated clause is unproblematic.
    """
    for name in dict.fromkeys(name for formula in inference.formulas for name in predicates(formula)):
        words = name.split()
        joint = next((index for index, word in enumerate(words) if word in ("and", "or", "but")), len(words))
        if words[joint + 1 : joint + 2] and (
            MODALS & set(words[joint:]) or words[joint + 1] in SUBJECT_PRONOUNS
        ):
            raise ReadingError(f"cannot split {name!r} into clauses")
    single = single_sentence_symbols(inference, predicates) | single_sentence_symbols(inference, constants)
    has_several = len(set(single.values())) > 1
    for name in single:
        words = name.split()
        if _SECOND_MODALS & set(words[1:]) or (has_several and _COMPOUND & set(words)):
            raise ReadingError(f"cannot split {name!r} into clauses")


def _is_syllogism(nodes: list[Node]) -> bool:
    if len(nodes) < 3 or not all(isinstance(node, ClauseNode | Negation | Operator) for node in nodes):
        return False
    return any(clause.quantifier for node in nodes for clause in clauses(node))


def _name_item(
    nodes: list[Node], syllogistic: bool, rule: GenericRule | None, plurals: frozenset[str]
) -> _ItemReading:
    """Name the contents of an item, for each interpretation of its subjects."""
    nodes, name, nodes_by_value = resolve_subjects(nodes, syllogistic, rule is not None, plurals)
    item_contents = name_contents(nodes, syllogistic, rule)
    contents_by_value = {
        value: name_contents(value_nodes, syllogistic, rule) for value, value_nodes in nodes_by_value.items()
    }
    return _ItemReading(item_contents, rule, name, contents_by_value)


@dataclass(frozen=True)
class _ItemReading:
    """Item with named contents, and its ambiguities.

    Attributes:
        contents: named contents of the sentences.
        rule: conditional applied to an individual, or None.
        name: name of the choice that changes the contents, or ``""``.
        alternative_contents: contents by the other values of this choice.
    """

    contents: Contents
    rule: GenericRule | None
    name: str = ""
    alternative_contents: Mapping[str, Contents] = field(default_factory=dict)

    def readings(self) -> tuple[ItemReading, ...]:
        """Return the interpretations, the most natural one first."""
        options = self._open_choices()
        combinations = islice(product(*options.values()), _MAX_READINGS)
        readings = [
            ItemReading(self._inference(choices), choices)
            for choices in (dict(zip(options, values, strict=True)) for values in combinations)
        ]
        # The surface scope mostly duplicates another scope.
        scoped_inferences = {
            reading.inference for reading in readings if reading.choices.get("scope") != SURFACE
        }
        return tuple(
            reading
            for reading in readings
            if not scoped_inferences
            or reading.choices.get("scope") != SURFACE
            or reading.inference not in scoped_inferences
        )

    def _open_choices(self) -> dict[str, tuple[str, ...]]:
        """Return the ambiguities of the item: possible values by name of the choice."""
        options: dict[str, tuple[str, ...]] = {}
        nodes = self.contents.nodes
        item_operators = [operator for node in nodes for operator in operators(node)]
        if any(operator.word == "choose" for operator in item_operators):
            options["can choose to"] = ("permission", "bilateral")
        if any(map(is_not_all_might, item_operators)):
            options[NOT_ALL_MIGHT] = (DENIED_OF_ALL, DENIED_OF_EACH)
        if self.name == "kind":
            options["kind"] = ("quantified", "term")
        if self.name == "adverbial":
            options["adverbial"] = ("modifies", "restricts")
        if self.name == "generic":
            options["generic"] = ("kind", *self.alternative_contents)
        options |= self._scope_choices()
        if self.contents.doubtful or (self.rule and self.rule.noun):
            options["head noun"] = ("understood", "stated")
        clause_names = [
            item_contents.names for item_contents in (self.contents, *self.alternative_contents.values())
        ]
        if any(names.separate for names in clause_names):
            is_merge_likely = any(names.is_merge_likely for names in clause_names)
            options["paraphrase"] = ("same", "different") if is_merge_likely else ("different", "same")
        if any(names.tense_matters for names in clause_names):
            options["tense"] = ("disregarded", "respected")
        if any(
            operator.word == COULD_NOT_HAVE and operator.modality != DEONTIC for operator in item_operators
        ):
            options[COULD_NOT_HAVE] = self._order_could_not_have(options)
        if len(nodes) < 3 and all(map(_is_fully_negated, self._first_inference(options).formulas)):
            options["negation"] = ("of the clause", "within the clause")
        if isinstance(nodes[0], Conditional) and repeats_negated_condition(self._first_inference(options)):
            options["negation"] = ("of the clause", "within the clause")
        has_possibility = len(nodes) > 2 and any(operator.force == "possible" for operator in item_operators)
        if has_possibility and has_prohibition(self._first_inference(options)):
            options["prohibition"] = ("no permission", "duty not to")
        return options

    def _scope_choices(self) -> dict[str, tuple[str, ...]]:
        """Return the choices of the scope of subjects, and of empty or fixed classes."""
        options: dict[str, tuple[str, ...]] = {}
        nodes, single = self.contents.nodes, len(self.contents.nodes) < 3
        quantifiers = {clause.quantifier for node in nodes for clause in clauses(node)}
        indefinite = (SURFACE, *self._other_scopes())
        if "some" in quantifiers and self.name == "scope":
            options["scope"] = indefinite
        else:
            if "some" in quantifiers and len(indefinite) > 1:
                options["indefinite"] = indefinite
            if self.contents.classes and (scoped_nodes := self._nodes_with_open_scope()):
                negates_operator = (
                    isinstance(node, Negation) and isinstance(node.body, Operator) for node in scoped_nodes
                )
                options["scope"] = (
                    ("de dicto", "de re") if single or all(negates_operator) else ("de re", "de dicto")
                )
                options["scope"] += (SURFACE,) if single else ()
        has_negation = any(
            clause.quantifier and any(isinstance(wrapper, Negation) and wrapper.outer for wrapper in wrappers)
            for node in (nodes if single else nodes[-1:] if not self.name else [])
            for clause, wrappers in scopes(node)
        )
        if has_negation or ("some" in quantifiers and quantifiers & {"all", "any", "no", "only"}):
            options["classes"] = ("may be empty", "not empty")
        if self.name in ("scope", "") and not self.alternative_contents and self._is_one_class():
            options["classes"] = (*options.get("classes", ("may be empty",)), FIXED)
        return options

    def _is_one_class(self) -> bool:
        """Whether a modal item quantifies over one class only, without other mentions and individuals."""
        item_contents = self.contents
        class_positions = {index for ats in item_contents.classes.values() for index in ats}
        class_names = {item_contents.names.shared[index] for index in class_positions}
        other_names = {
            name for index, name in enumerate(item_contents.names.shared) if index not in class_positions
        }
        has_operator = any(next(operators(node), None) for node in item_contents.nodes)
        return (
            has_operator
            and len(class_names) == 1
            and not class_names & other_names
            and not item_contents.individuals
        )

    def _first_inference(self, options: Mapping[str, tuple[str, ...]], **overrides: str) -> Inference:
        return self._inference({name: values[0] for name, values in options.items()} | overrides)

    def _order_could_not_have(self, options: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """Order the meanings of "could not have": certainty first if the conclusion else is a premise."""
        denying, certain = (
            self._first_inference(options, **{COULD_NOT_HAVE: value})
            for value in (DENIES_POSSIBILITY, CERTAIN_OF_NEGATION)
        )
        repeating = denying.conclusion in denying.premises and certain.conclusion not in certain.premises
        return (
            (CERTAIN_OF_NEGATION, DENIES_POSSIBILITY)
            if repeating
            else (DENIES_POSSIBILITY, CERTAIN_OF_NEGATION)
        )

    def _other_scopes(self) -> list[str]:
        """Return the possible scopes of existential subjects other than the surface scope."""
        wrapper_lists = [
            wrappers
            for node in self.contents.nodes
            for clause, wrappers in scopes(node)
            if clause.quantifier == "some"
        ]
        has_narrow = any(
            isinstance(wrapper, Operator)
            for wrappers in wrapper_lists
            for wrapper in inner_wrappers(wrappers)[:1]
        )
        has_wide = any(
            isinstance(wrapper, Operator) and wrapper.outer
            for wrappers in wrapper_lists
            for wrapper in wrappers
        )
        return [NARROW] * has_narrow + [WIDE] * has_wide

    def _nodes_with_open_scope(self) -> list[Node]:
        """Return the sentences with a quantifier that can have scope inside or outside an operator."""
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
        item_contents = self.alternative_contents.get(choices.get(self.name, ""), self.contents)
        nodes = item_contents.nodes
        merge_paraphrases, mark_tense = (
            choices.get("paraphrase") != "different",
            choices.get("tense") == "respected",
        )

        def atom(index: int, term: str = VARIABLE) -> Atom:
            return Atom(
                item_contents.names.name(index, merge_paraphrases, mark_tense), (term,) if term else ()
            )

        disjunct_atoms: dict[int, list[Atom]] = {}
        restrictions: dict[int, Formula | None] = {}
        is_noun_stated = choices.get("head noun") == "stated"
        for clause in (clause for node in nodes for clause in clauses(node)):
            term = VARIABLE if clause.quantifier else item_contents.individuals.get(clause.subject, "")
            disjunct_atoms[id(clause)] = [atom(index, term) for index in item_contents.positions[id(clause)]]
            if clause.quantifier:
                # The kind of generic subjects is the domain of quantification.
                is_fixed = self.name == "generic" or choices.get("classes") == FIXED
                restrictions[id(clause)] = (
                    None if is_fixed else _restriction(item_contents, clause, is_noun_stated, atom)
                )
        rules: dict[int, Atom | None] = {}
        if self.rule:
            noun = self.rule.noun if is_noun_stated else ""
            rules[id(nodes[self.rule.index])] = Atom(noun, (VARIABLE,)) if noun else None
        builder = FormulaBuilder(choices, len(nodes) < 3, disjunct_atoms, restrictions, rules)
        formulas = [builder.build(node) for node in nodes]
        premises = formulas[:-1]
        if choices.get("classes") == "not empty":
            groups = (group for group in restrictions.values() if group is not None)
            premises += [Not(ForAll((VARIABLE,), Not(group))) for group in groups]
        inference = with_opaque_contents(Inference(tuple(premises), formulas[-1]))
        if isinstance(nodes[0], Conditional):
            inference = with_opaque_conditions(inference)
        if "within" in choices.get("negation", ""):
            inference = with_named_denials(inference)
        if choices.get("prohibition") == "duty not to":
            inference = with_duties(inference)
        return inference


def _restriction(
    item_contents: Contents, clause: ClauseNode, is_noun_stated: bool, atom: Callable[[int], Atom]
) -> Formula | None:
    """Return the restriction of a quantifier, without the head noun of its class unless `is_noun_stated`."""
    index, *other_positions = item_contents.classes[id(clause)]
    if other_positions:
        return Or(tuple(map(atom, (index, *other_positions))))
    is_understood = not is_noun_stated and index in item_contents.restricted
    if not is_noun_stated and not is_understood and index in item_contents.doubtful:
        return None
    restriction, group = (
        atom(item_contents.restricted[index] if is_understood else index),
        class_of(clause.subject),
    )
    return Not(restriction) if group.negated and (is_understood or group.generic) else restriction
