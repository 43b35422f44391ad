#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models of pytorch/benchmark, and compares them with the CPU.

    PTXJIT_DEVICE=9.0 ptx-jit exec -- python utils/torch-models.py FOLDER [MODEL...]

FOLDER is a checkout of pytorch/benchmark, whose models are imported as they are, with
random weights instead of those that they would load. Each is compiled by torch.compile
for `cuda`, for inference and for two steps of training, and runs without it on the CPU.
Prints the largest error of the outputs, relative to the largest output, and the losses
of both. Dropout is off, since the two devices draw different numbers. Exits with the
number of models that differ or fail.
"""
import argparse
import copy
import importlib
import sys
import time

import torch

MODELS = ("lennard_jones", "pyhpc_equation_of_state", "pyhpc_isoneutral_mixing",
          "pyhpc_turbulent_kinetic_energy", "dcgan", "resnet18", "squeezenet1_1",
          "nanogpt", "phlippe_resnet", "mobilenet_v2")
BATCH = 2
# The number of cells of these; one has its own.
CELLS = {"pyhpc_equation_of_state": 32768, "pyhpc_isoneutral_mixing": 32768,
         "pyhpc_turbulent_kinetic_energy": None}
TOLERANCE = 1e-3


def keep_random_weights():
    """Lets torchvision's models keep the weights that they are made with."""
    try:
        from torchvision.models import WeightsEnum
    except ImportError:
        return
    load = torch.nn.Module.load_state_dict
    WeightsEnum.get_state_dict = lambda *args, **kwargs: None
    torch.nn.Module.load_state_dict = (
        lambda self, state, *args, **kwargs:
        None if state is None else load(self, state, *args, **kwargs))


def make(name, test):
    torch.manual_seed(1)
    size = CELLS.get(name, BATCH)
    batch = {"batch_size": size} if size else {}
    model = importlib.import_module("torchbenchmark.models." + name).Model(
        test=test, device="cpu", **batch)
    module, inputs = model.get_module()
    for part in module.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    return module, inputs


def move(value, device):
    if isinstance(value, torch.Tensor):
        return value.detach().to(device)
    if isinstance(value, (list, tuple)):
        return type(value)(move(part, device) for part in value)
    if isinstance(value, dict):
        return {key: move(part, device) for key, part in value.items()}
    return value


def call(module, inputs):
    if isinstance(inputs, dict):
        return module(**inputs)
    return module(*inputs)


def tensors_of(value):
    if isinstance(value, torch.Tensor):
        return [value] if value.is_floating_point() else []
    if isinstance(value, dict):
        value = value.values()
    if isinstance(value, (list, tuple)) or hasattr(value, "__iter__"):
        return [t for part in value for t in tensors_of(part)]
    return []


def infer(name):
    module, inputs = make(name, "eval")
    module.eval()
    with torch.no_grad():
        want = tensors_of(call(module, inputs))
        compiled = torch.compile(copy.deepcopy(module).to("cuda"))
        got = tensors_of(call(compiled, move(inputs, "cuda")))
    assert len(want) == len(got) > 0, "outputs"
    return max(((g.cpu() - w).abs().max() / w.abs().max().clamp(min=1e-6)).item()
               for g, w in zip(got, want))


def train(name):
    """The losses of two steps on both devices; None for what is not trained."""
    try:
        module, inputs = make(name, "train")
    except NotImplementedError:
        return None
    module.train()
    if not any(p.requires_grad for p in module.parameters()):
        return None
    losses = {}
    for device in ("cpu", "cuda"):
        part = copy.deepcopy(module).to(device)
        run = torch.compile(part) if device == "cuda" else part
        optimizer = torch.optim.SGD(part.parameters(), lr=0.01)
        losses[device] = []
        for _ in range(2):
            optimizer.zero_grad()
            loss = sum(t.square().mean()
                       for t in tensors_of(call(run, move(inputs, device))))
            loss.backward()
            optimizer.step()
            losses[device].append(loss.item())
    return losses


def close(a, b):
    return abs(a - b) <= TOLERANCE * max(abs(a), TOLERANCE)


def check(name):
    begin = time.time()
    try:
        error = infer(name)
        text = f"inference {'right' if error <= TOLERANCE else 'WRONG'} ({error:.1e})"
        losses = train(name)
        right = error <= TOLERANCE
        if losses:
            same = all(close(a, b) for a, b in zip(losses["cpu"], losses["cuda"]))
            right = right and same
            text += f", training {'right' if same else 'WRONG'} ({losses})"
        else:
            text += ", not trained"
    except Exception as error:  # whatever stops one model leaves the others
        right = False
        message = str(error).strip().replace("\n", " | ")[:400]
        text = f"FAILED: {type(error).__name__}: {message}"
    print(f"{name}: {text}, {time.time() - begin:.0f} s", flush=True)
    return right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    sys.path.insert(0, options.folder)
    keep_random_weights()
    return sum(not check(name) for name in options.models or MODELS)


if __name__ == "__main__":
    sys.exit(main())
