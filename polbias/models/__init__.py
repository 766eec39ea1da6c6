"""Clients of optional services (chat models, DeepL) with recorded responses; no build needs them.

The extra ``services`` installs the client libraries. They are imported with the first request, so recorded
responses can be replayed without them, without a key and without a network.
"""
