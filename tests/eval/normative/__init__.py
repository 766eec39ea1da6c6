"""DOC: tests/eval/normative"""
