"""A causal language model of a few thousand random weights, with tokenizer and chat template."""

from __future__ import annotations

from pathlib import Path

_TEMPLATE = (
    "{% for message in messages %}<{{ message['role'] }}>{{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


def save_tiny_model(folder: Path) -> Path:
    """Make the model and save it as a Hugging Face folder.

    Args:
        folder: where to; created if need be.

    Returns:
        The folder.
    """
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    torch.manual_seed(20260101)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: index for index, token in enumerate([*alphabet, "<|end|>"])}
    raw = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, bos_token="<|end|>", eos_token="<|end|>", pad_token="<|end|>"
    )
    tokenizer.chat_template = _TEMPLATE
    end = vocabulary["<|end|>"]
    config = GPT2Config(
        vocab_size=len(vocabulary),
        n_positions=2048,
        n_embd=16,
        n_layer=1,
        n_head=2,
        bos_token_id=end,
        eos_token_id=end,
    )
    GPT2LMHeadModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
