"""Which rows of a product a table holds, where it does not hold all of them."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field, model_validator

from polbias.files import BuildError


class Sample(BaseModel):
    """Rows drawn without replacement from a product, in whole pairs, equally many from every stratum.

    Row numbers run over pairs: the factors of the pair vary fastest, then the strata, then the draws, so that
    any prefix of whole pairs is spread over the strata as evenly as it can be. Both rows of a pair agree in
    every other factor. A pair with an excluded row is never drawn, a stratum without pairs is none.

    Attributes:
        rows: how many, a multiple of the number of rows of a pair.
        pair: factors whose levels together make a pair, slowest first; all of their levels are taken for
            every pair that is drawn. With none, a pair is one row.
        strata: factors all of whose combinations get the same number of pairs, or one more, slowest first.
        draw: names the draw. The same name, dataset, config and version give the same rows; a larger sample
            begins with the rows of a smaller one.
        version: that the draw goes by; by default that of the table.
        skip: rows of the draw to pass over, also in whole pairs. A sample that skips as many rows as another
            one has holds none of its rows.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rows: int = Field(ge=1)
    pair: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    draw: str = "sample"
    version: str | None = None
    skip: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _distinct(self) -> Sample:
        names = (*self.pair, *self.strata)
        if len(set(names)) != len(names):
            raise ValueError(f"a factor may stand once in pair and strata, found {names}")
        return self


def shares(rows: int, most: Sequence[int], pair: int = 1) -> list[int]:
    """Share rows out among tables: as evenly as their sizes allow, in whole pairs.

    A table that has less than its share gives all it has, and the others the rest.

    Args:
        rows: in all; what is left of an incomplete pair is left out.
        most: how many each table has, a multiple of the rows of a pair.
        pair: number of rows of a pair.

    Returns:
        Rows of each table.

    Raises:
        BuildError: if there are not so many rows, or not a pair for each table.
    """
    if not pair * len(most) <= rows <= sum(most):
        raise BuildError(
            f"{rows:,} rows are asked for; {pair * len(most):,} to {sum(most):,} can be drawn from "
            f"{len(most)} configs; ask for as many"
        )
    found = [0] * len(most)
    left = rows // pair
    for after, index in enumerate(sorted(range(len(most)), key=lambda index: most[index])):
        found[index] = min(most[index], pair * -(-left // (len(most) - after)))
        left -= found[index] // pair
    return found
