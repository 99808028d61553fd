# SPDX-License-Identifier: LGPL-2.1-or-later
"""How a Python program makes CLIP's input from a frame in NV12, in three ways.

OpenCV and Pillow: what people write. reference(): what CLIP's own preprocessing gives, in double precision up to Pillow's
resize, with the matrix the caps of the frame name; the embeddings of all contenders are compared with its.
"""
import numpy as np


def middle(rgb):
    height, width = rgb.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    return rgb[top:top + side, left:left + side]


def normalised(rgb, mean, std):
    values = (rgb.astype(np.float32) / 255 - np.float32(mean)) / np.float32(std)
    return np.ascontiguousarray(values.transpose(2, 0, 1)[None], dtype=np.float32)


def with_opencv(cv2, frame, width, height, size, mean, std):
    rgb = cv2.cvtColor(frame.reshape(height * 3 // 2, width), cv2.COLOR_YUV2RGB_NV12)
    small = cv2.resize(middle(rgb), (size, size), interpolation=cv2.INTER_AREA)
    return normalised(small, mean, std)


def with_pillow(cv2, image, frame, width, height, size, mean, std):
    """As in CLIP's own code. A decoder would give RGB; here OpenCV makes it of NV12, at its speed."""
    rgb = image.fromarray(cv2.cvtColor(frame.reshape(height * 3 // 2, width), cv2.COLOR_YUV2RGB_NV12))
    side = min(width, height)
    rgb = rgb.resize((round(width * size / side), round(height * size / side)), image.BICUBIC)
    return normalised(middle(np.asarray(rgb)), mean, std)


def reference(image, frame, width, height, size, mean, std):
    luma = frame[:width * height].reshape(height, width).astype(np.float64)
    chroma = frame[width * height:].reshape(height // 2, width // 2, 2).astype(np.float64).repeat(2, 0).repeat(2, 1)
    red, blue = (0.2126, 0.0722) if height > 576 else (0.299, 0.114)  # BT.709 and BT.601, as GStreamer assumes by size
    green = 1 - red - blue
    y, u, v = (luma - 16) / 219, (chroma[..., 0] - 128) / 224, (chroma[..., 1] - 128) / 224
    r, b = y + 2 * (1 - red) * v, y + 2 * (1 - blue) * u
    rgb = np.stack([r, (y - red * r - blue * b) / green, b], -1)
    rgb = image.fromarray(np.clip(np.rint(rgb * 255), 0, 255).astype(np.uint8))
    side = min(width, height)
    rgb = rgb.resize((round(width * size / side), round(height * size / side)), image.BICUBIC)
    return normalised(middle(np.asarray(rgb)), mean, std)
