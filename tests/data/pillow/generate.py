#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes expected.rgb beside this file. Run by hand; the tests need only its output.

    scripts/setup.sh --export && .deps/export/bin/python tests/data/pillow/generate.py
"""
import os

import numpy as np
from PIL import Image
from torchvision.transforms import CenterCrop, Compose, InterpolationMode, Resize

HERE = os.path.dirname(os.path.abspath(__file__))
SIZE = 24
# Width, height. The last three are odd multiples of 32: resized to 32 pixels with a bilinear filter, no sum is a half.
SHAPES = [(331, 257), (199, 419), (640, 361), (224, 160), (160, 288), (352, 224)]
RESIZED = range(3)  # what expected.rgb has
FILTERS = [InterpolationMode.BICUBIC, InterpolationMode.BILINEAR]


def picture(number):
    """Ramps that wrap round, a chequered blue, and noise. tests/common/pictures.hpp has the same."""
    width, height = SHAPES[number]
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    red, green = x * 3 + y * 2, y * 5 + number * 40
    blue = np.where((x // 9 + y // 6) % 2 == 0, 200, 30)
    noise = ((x * 7919) ^ (y * 104729) ^ (number * 1299709)) >> 4  # without it many sums are halves, which round by chance
    return Image.fromarray(np.stack([red + noise % 61, green + noise % 53, blue + noise % 47], axis=2).astype(np.uint8))


def main():
    with open(os.path.join(HERE, "expected.rgb"), "wb") as file:
        for number in RESIZED:
            for interpolation in FILTERS:
                for squash in (False, True):
                    for side in (SIZE, 29):
                        resize = Resize((side, side) if squash else side, interpolation=interpolation)
                        file.write(np.asarray(Compose([resize, CenterCrop(SIZE)])(picture(number))).tobytes())


if __name__ == "__main__":
    main()
