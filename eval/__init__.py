"""Answers to labels, labels to metrics, metrics to statistics; reads only the published columns."""
