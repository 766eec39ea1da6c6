"""Package mapping that ``pyproject.toml`` cannot express: one folder installed under two names.

``harness_tasks/`` is ``polbias.harness_tasks`` and also ``lm_eval.tasks.polbias``, because lm_eval
indexes only the files below its own ``tasks`` package.
"""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["polbias", "polbias.*"]), "lm_eval.tasks.polbias"],
    package_dir={"lm_eval.tasks.polbias": "harness_tasks"},
)
