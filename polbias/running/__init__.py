"""Experiments of several stages, where what a model writes becomes what it is asked next.

A stage is: rows from a generator, a model that answers them (`asking`), and a journal that loses no answer
and repeats no question (`journal`, `stage`). Neither `polbias.generators` nor `polbias.eval` is the place for
it: generators make tables without a model, and eval reads answers without a generator. This package composes
both, and the command line only calls it.
"""
