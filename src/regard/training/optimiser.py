"""The optimisers: AdamW, or plain gradient descent with momentum."""

import torch
from torch import nn

from regard.config import TrainingOptions


def make_optimiser(model: nn.Module, options: TrainingOptions) -> torch.optim.Optimizer:
    """Matrices decay, vectors (biases, learned states, score vectors) do not."""
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    groups = [
        {"params": [p for p in parameters if p.dim() > 1], "weight_decay": options.weight_decay},
        {"params": [p for p in parameters if p.dim() <= 1], "weight_decay": 0.0},
    ]
    groups = [group for group in groups if group["params"]]
    if options.optimiser == "sgd":
        return torch.optim.SGD(groups, lr=options.rate, momentum=options.momentum)
    return torch.optim.AdamW(groups, lr=options.rate, fused=True)
