"""Optional services (chat models, DeepL) with recorded answers: nothing here is needed for a build.

The client libraries come with the extra ``services`` and are imported when something is asked, so recorded
answers can be replayed without them, without a key and without a network.
"""
