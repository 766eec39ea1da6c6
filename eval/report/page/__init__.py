"""DOC: eval/report/page"""
