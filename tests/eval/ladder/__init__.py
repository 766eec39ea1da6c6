"""DOC: tests/eval/ladder"""
