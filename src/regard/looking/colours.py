"""The one colour scale of all renderers: a straight line in OKLab from paper to ink.

OKLab is built so that equal steps look equal; on a straight line in it the lightness falls evenly, so the scale
reads the same in grey and to the colour-blind. A straight line is also what CSS draws with `color-mix(in oklab, …)`:
the page mixes its colours itself, for paper that is light or dark, and gets these very ones.
"""

import numpy as np
from jaxtyping import Float

ENDS = ("#ffffff", "#002277")  # no weight, full weight; look.css has a pair of its own for dark paper
_TOPS = [lead / 10**place for place in range(1, 6) for lead in (10, 5, 2)]

# Björn Ottosson, "A perceptual color space for image processing" (2020): linear sRGB -> cone response -> OKLab.
_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def oklab(colour: str) -> Float[np.ndarray, "3"]:
    """`#rrggbb` as OKLab: lightness 0 to 1, green–red, blue–yellow."""
    coded = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    return _TO_LAB @ np.cbrt(_TO_CONES @ linear)


def colour(share: float, ends: tuple[str, str] = ENDS) -> str:
    """The colour of a share, 0 to 1, of the scale's top, as `#rrggbb`."""
    low, high = map(oklab, ends)
    mixed = low + min(max(share, 0.0), 1.0) * (high - low)
    linear = np.linalg.solve(_TO_CONES, np.linalg.solve(_TO_LAB, mixed) ** 3).clip(0, 1)
    coded = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * float(part)):02x}" for part in coded)


def top(weights: Float[np.ndarray, "T S"]) -> float:
    """The weight that gets the full colour: 1, or the next of 0.5, 0.2, 0.1, 0.05 … above the largest weight.

    Over two hundred regions of a picture no weight comes near 1, and the map would be blank; every legend tells it.
    """
    largest = float(weights.max(initial=0.0))
    return min((step for step in _TOPS if step >= largest - 1e-6), default=1.0) if largest > 0 else 1.0
