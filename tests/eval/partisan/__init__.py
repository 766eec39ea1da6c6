"""DOC: tests/eval/partisan"""
