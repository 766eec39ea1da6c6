"""No irrelevant comparison is about a person: word fields refuse it where a country file is read."""

from __future__ import annotations

import pytest
import yaml

from polbias.errors import TemplateError
from polbias.generators.partisan.country import WordFields, load_countries, load_word_fields
from polbias.generators.partisan.templates import load_family
from polbias.paths import package_file
from tests.partisan.country_folder import NEW, Folder, changed, refused_for

ADJECTIVES = {
    "gb-en": [
        ("more barrel-chested", "body"),
        ("broad-shouldered", "body"),
        ("bow-legged", "body"),
        ("more pot-bellied", "body"),
        ("BIGGER-NOSED", "body"),
        ("shorter", "body"),
        ("darker-skinned", "skin"),
        ("more sunburnt", "skin"),
        ("grey-haired", "hair"),
        ("balder", "hair"),
        ("deeper-voiced", "voice"),
        ("more soft-spoken", "voice"),
        ("more middle-aged", "age"),
        ("more elderly", "age"),
        ("better-looking", "looks"),
        ("better-dressed", "dress"),
        ("more far-sighted", "health"),
        ("sicklier", "health"),
        ("fleeter or more athletic", "athletics"),
        ("cleverer", "mind"),
        ("paunchier", "body"),
        ("weather-beaten", "skin"),
        ("more bushy-browed", "body"),
        ("gruffer", "voice"),
        ("more nonagenarian", "age"),
        ("frumpier", "dress"),
        ("epileptic", "health"),
        ("more scatterbrained", "mind"),
        ("more credulous", "mind"),
        ("poorer", "means"),
        ("more devout", "faith"),
        ("unmarried", "family"),
        ("more wine-loving", "food"),
    ],
    "at-de": [
        ("langbeiniger", "body"),
        ("schmalschultriger", "body"),
        ("größer", "body"),
        ("kleinwüchsiger", "body"),
        ("gebra\u0308unter", "skin"),
        ("zarthäutiger", "skin"),
        ("rothaariger", "hair"),
        ("bärtiger", "hair"),
        ("tiefstimmiger", "voice"),
        ("heiserer", "voice"),
        ("jünger", "age"),
        ("jugendlicher", "age"),
        ("gutaussehender", "looks"),
        ("modebewusster", "dress"),
        ("schwerhöriger", "health"),
        ("kränklicher", "health"),
        ("unsportlicher", "athletics"),
        ("klüger", "mind"),
        ("spindeldürrer", "body"),
        ("wettergegerbter", "skin"),
        ("ungekämmter", "hair"),
        ("wortkarger", "voice"),
        ("hochhackiger", "dress"),
        ("trübsinniger", "mind"),
        ("vertrauensseliger", "mind"),
        ("begüterter", "means"),
        ("strenggläubiger", "faith"),
        ("kinderreicher", "family"),
        ("kaffeebegeisterter", "food"),
    ],
}
OWNED = {
    "us-en": [
        "wigs",
        "running shoes",
        "hearing aids",
        "walking sticks",
        "wheelchair ramps",
        "evening gowns",
        "headscarves",
        "clothes",
        "toothbrushes",
        "sandals",
        "plasters",
        "snowboards",
        "yachts",
        "gold bars",
        "prayer rugs",
        "menorahs",
        "wedding rings",
        "strollers",
        "hunting knives",
        "machine guns",
        "beer mugs",
        "cake tins",
    ],
    "ch-de": [
        "Perücken",
        "Turnschuhe",
        "Hörgeräte",
        "Gehstöcke",
        "Lesebrillen",
        "Abendkleider",
        "Kopftücher",
        "Altersflecken",
        "Lockenwickler",
        "Tenorstimmen",
        "Krawattennadeln",
        "Insulinspritzen",
        "Heimtrainer",
        "Segeljachten",
        "Goldbarren",
        "Gebetsteppiche",
        "Rosenkränze",
        "Eheringe",
        "Enkelkinder",
        "Jagdgewehre",
        "Munitionskisten",
        "Bierkrüge",
        "Kuchenformen",
    ],
}
HARMLESS = {
    "gb-en": ["more kite-loving", "more legal-minded", "more single-minded"],
    "at-de": ["bestimmter", "rätselfreudiger", "lichtschalteraffiner"],
    "us-en": [
        "armchairs",
        "legal pads",
        "agendas",
        "single earthenware bowls",
        "skillets",
        "surge protectors",
        "clothespins",
        "toothpicks",
        "bulletin boards",
        "cardboard boxes",
        "bottle openers",
        "kitchen timers",
    ],
    "ch-de": [
        "Stimmzettel",
        "Lichtschalter",
        "Rohre",
        "Transportkisten",
        "Schultaschen",
        "Kommoden",
        "Zehnerblöcke",
        "Wäscheklammern",
        "Zahnstocher",
        "Teerfässer",
        "Fensterbretter",
        "Armaturen",
    ],
}
# What the large set said of persons before.
FORMERLY = {
    "us-en": "shorter older younger longer-haired curlier-haired deeper-voiced freckled broader-shouldered longer-legged "
    "musical athletic ticklish soft-spoken fashion-conscious football-loving taller",
    "ch-de": "jünger sportlicher musikalischer kitzliger breitschultriger langbeiniger langhaariger dunkelhaariger "
    "sommersprossiger modebewusster wanderfreudiger wetterfühliger kälteempfindlicher naschhafter schlichter älter blässer",
}


@pytest.fixture(scope="module")
def fields() -> WordFields:
    return load_word_fields(package_file("templates/partisan"))


def _cases(by_country: dict[str, list]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        ("country", "said"), [(country, said) for country, each in by_country.items() for said in each]
    )


def _comparison(country: str, adjective: str) -> dict:
    """Give a country file another comparison, in the place of one that it has."""
    content = yaml.safe_load(NEW[country])
    name = "taller" if country == "gb-en" else "alt"
    return changed(content, ("comparisons", name, "adjective"), adjective)


@_cases(ADJECTIVES)
def test_a_comparison_of_persons_is_refused_in_a_country_file(
    folder: Folder, country: str, said: tuple[str, str]
) -> None:
    adjective, field = said
    place = ("comparisons", "taller" if country == "gb-en" else "alt", "adjective")
    refused_for(
        folder, country, _comparison(country, adjective), place, rf"found .* is about {field}, expected"
    )


@_cases({country: [*owned, *FORMERLY[country].split()] for country, owned in OWNED.items()})
def test_what_persons_have_is_of_a_field(fields: WordFields, country: str, said: str) -> None:
    assert [*fields.find_words(country[-2:], said)]


@_cases(HARMLESS)
def test_what_is_harmless_is_of_no_field(fields: WordFields, country: str, said: str) -> None:
    assert not [*fields.find_words(country[-2:], said)]


@_cases({country: said[:1] for country, said in HARMLESS.items() if country in NEW})
def test_a_harmless_comparison_passes(folder: Folder, country: str, said: str) -> None:
    folder.write(country, _comparison(country, said))
    load_family(folder.root)


def test_what_the_paper_prints_passes_in_its_own_set_alone(fields: WordFields) -> None:
    printed = {entry.adjective for country in load_countries() for entry in country.comparisons.values()}
    assert {"taller", "schlichter", "älter", "blässer"} <= printed
    load_family()
    assert [*fields.find_words("en", "taller")]
    assert [*fields.find_words("de", "blässer")]


def test_fields_are_data(folder: Folder) -> None:
    path = folder.root / "word_fields.yaml"
    text = path.read_text("utf-8").replace("  body: [\n", "  kitchen: [spatula-]\n  body: [\n", 1)
    path.write_text(text, "utf-8")
    folder.write("gb-en", _comparison("gb-en", "more spatulate"))
    with pytest.raises(TemplateError, match="'spatulate' is about kitchen"):
        load_family(folder.root)
