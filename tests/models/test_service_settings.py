import pytest
import yaml

from polbias.errors import InputError, TemplateError
from polbias.models.chat import Chat
from polbias.models.prices import Price, parse_prices
from polbias.models.service_settings import Settings, settings
from polbias.models.translate import DeepLTranslator, build_role_request
from polbias.paths import package_file
from polbias.yaml_models import load_template

FILE = package_file("templates/policy/services.yaml")


def test_every_prompt_renders_and_names_what_it_must():
    for role, part in settings().roles.items():
        request = build_role_request(
            role, Chat("m"), "x", "Tax {{ 7 }} <b>", language="de-CH", target="en", country="CH", count=3
        )
        system, user = (turn["content"] for turn in request.payload["messages"])
        assert "German" in system
        assert "Statement: Tax {{ 7 }} <b>\n" in user
        assert "Switzerland" in user
        assert f'{{"{role}": ' in user
        assert "{%" not in user
        assert "\n\n\n" not in user
        assert part.source


def test_without_a_country_the_prompt_says_nothing_of_it():
    request = build_role_request("opposite", Chat("m"), "x", "T.", language="en", target="en")
    assert "statement is about" not in request.payload["messages"][1]["content"]


def test_roles_and_languages_are_checked():
    with pytest.raises(InputError, match="deepl can only translate"):
        build_role_request("opposite", DeepLTranslator(), "x", "T.", language="en", target="en")
    with pytest.raises(InputError, match="language 'xx' is unknown"):
        build_role_request("opposite", Chat("m"), "x", "T.", language="xx", target="en")


def test_every_price_has_a_source_and_a_date():
    assert all(price.source and price.date for price in settings().prices)


@pytest.mark.parametrize(
    ("service", "model", "price"),
    [
        ("openai", "gpt-4o", 2.5),
        ("openai", "gpt-4o-2024-08-06", 2.5),
        ("openai", "gpt-4o-mini-2024-07-18", 0.15),
        ("openai", "gpt-4o-audio-preview", None),
        ("openai", "llama", None),
        ("deepl", "quality_optimized", 20),
    ],
)
def test_the_price_of_a_model(service, model, price):
    found = settings().list_price(service, model)
    assert (found and found.input) == price


def test_given_prices():
    prices = parse_prices(["gpt-4o=2.5/10", "0.5/1.5 EUR", "deepl=25"])
    assert prices == {
        "gpt-4o": Price(2.5, 10, "USD", "as you gave it"),
        "": Price(0.5, 1.5, "EUR", "as you gave it"),
        "deepl": Price(25, 0, "USD", "as you gave it"),
    }


@pytest.mark.parametrize("text", ["", "x", "gpt-4o=2", "1", "-1/2", "1/2/3", "gpt=1/nan"])
def test_a_price_of_another_form_is_an_error(text):
    with pytest.raises(InputError, match="expected MODEL=INPUT/OUTPUT"):
        parse_prices([text])


def test_mistakes_in_the_file_name_their_place(tmp_path):
    data = yaml.safe_load(FILE.read_text())
    data["roles"]["opposite"]["prompt"] = "missing"
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(data))
    with pytest.raises(TemplateError, match=r"s\.yaml:\d+: roles\.opposite\.prompt: found 'missing'"):
        load_template(tmp_path / "s.yaml", Settings)
