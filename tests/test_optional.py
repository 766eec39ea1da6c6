"""What is not installed: said in one line, with what can be installed; a wheel's folder of tasks is no lm_eval."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from polbias import optional
from polbias.errors import PolbiasError
from tests.support.process import run_python
from tests.support.site import link_packages


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """What is installed here but for lm_eval, in whose place is the folder that a wheel of polbias brings."""
    folder = tmp_path_factory.mktemp("site")
    environment = link_packages(folder, without=("lm_eval",))
    (folder / "lm_eval" / "tasks" / "polbias").mkdir(parents=True)
    (folder / "lm_eval" / "tasks" / "polbias" / "some.yaml").write_text("task: polbias_some\n")
    return environment


@pytest.mark.parametrize(
    "command",
    [
        "-m polbias.cli.main eval --tasks polbias_en_formal_mini --model dummy",
        "-m polbias.cli.main eval --tasks polbias_en_formal_mini --cost",
        "-m polbias.cli.main demo -o out",
        "-m polbias.cli.main selfassess run --model hf --model_args pretrained=x --n 1 -o out",
        "-m polbias.cli.main simulate samples --task polbias_en_formal_mini -o out",
        "-m polbias.harness_tasks.link",
    ],
)
def test_without_lm_eval_a_line_says_what_to_install(
    site: Mapping[str, str], tmp_path: Path, command: str
) -> None:
    # Without the folders of this environment, which -S leaves out, lm_eval is but a name.
    assert "Namespace" in run_python(["-S", "-c", "import lm_eval; print(lm_eval)"], env=site).stdout
    done = run_python(["-S", *command.split()], env=site, cwd=tmp_path, check=False)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "lm_eval is not installed; pip install 'lm_eval[api]" in line
    assert not list(tmp_path.iterdir())


def test_what_is_advised_needs_no_index_that_has_polbias(monkeypatch: pytest.MonkeyPatch) -> None:
    packages = [
        "numpy>=2",
        "no-base>=1",
        "no-such-words>=3.8; extra == 'words'",
        'no.such_model[api]<2,>=1.5; extra == "runs"',
        "pyarrow>=21 ; extra == 'runs'",
    ]
    monkeypatch.setattr(optional, "requires", lambda name: packages)
    assert optional.install_command("words") == "pip install 'no-such-words>=3.8'"
    assert optional.install_command("runs") == "pip install 'no.such_model[api]<2,>=1.5'"
    assert optional.install_command() == "pip install 'no-base>=1'"


def test_where_nothing_is_missing_all_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        optional, "requires", lambda name: ["numpy>=2; extra == 'a'", "pyarrow; extra == 'a'"]
    )
    assert optional.install_command("a") == "pip install 'numpy>=2' 'pyarrow'"


def test_a_lazy_module_names_its_package_and_its_extra_where_it_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    packages = ["no-base>=1", "no_words>=3.8; extra == 'words'", "no_letters; extra == 'words'"]
    monkeypatch.setattr(optional, "requires", lambda name: packages)
    with pytest.raises(PolbiasError, match=r"no_base .*pip install 'no-base>=1'$"):
        _ = optional.LazyModule("no_base.part").value
    with pytest.raises(PolbiasError, match=r"no_words .*pip install 'no_words>=3.8' 'no_letters'$"):
        _ = optional.LazyModule("no_words").value
    with pytest.raises(ModuleNotFoundError, match="no_requirement"):
        _ = optional.LazyModule("no_requirement").value


def test_a_checkout_that_was_never_installed_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def requires(name: str) -> list[str]:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(optional, "requires", requires)
    assert "pip install '.[german]'" in optional.install_command("german")
    assert "pip install '.'" in optional.install_command()
    assert optional.missing_package_error(ModuleNotFoundError(name="spacy")) is None
