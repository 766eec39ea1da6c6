"""Public path of the bias scores of partisan inferences."""

from polbias.eval.partisan.bias import unweighted_bias, weighted_bias

__all__ = ["unweighted_bias", "weighted_bias"]
