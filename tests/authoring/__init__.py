"""DOC: tests/authoring"""
