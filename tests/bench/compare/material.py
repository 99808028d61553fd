# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the contenders work on: frames of a clip in several sizes, and the tensors that CLIP's own preprocessing makes of them."""
import json
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"  # with Debian's numpy and Pillow, whatever the PATH holds
SIZES = ((640, 360), (1920, 1080), (3840, 2160))


class Model:
    """A bundle, and what a program needs to know to run its image tower."""

    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()
        bundle = json.loads((self.path / "bundle.json").read_text(encoding="utf-8"))
        self.name, self.size = bundle["name"], bundle["image"]["size"]
        self.visual = self.path / bundle["visual"]["file"]
        self.output = bundle["visual"].get("output", "image_embeds")
        self.mean, self.std = (",".join(map(str, bundle["image"][key])) for key in ("mean", "std"))

    def with_tensor_id(self, path):
        """Copies the image tower for onnxinference, which refuses models whose output has no id in their metadata.

        A protocol buffer may be continued at its end: field 14 of a model is an entry of its metadata (1: key, 2: value).
        """
        key, value = self.output.encode(), b"embedding"
        entry = b"\x0a" + bytes([len(key)]) + key + b"\x12" + bytes([len(value)]) + value
        shutil.copy(self.visual, path)
        with open(path, "ab") as file:
            file.write(b"\x72" + bytes([len(entry)]) + entry)


class Frames:
    """Frames of one size in a file, and what is made of them, all in one directory."""

    def __init__(self, clip, directory, width, height, count):
        self.width, self.height, self.directory = width, height, pathlib.Path(directory)
        self.path = self.directory / f"{width}x{height}.nv12"
        self.caps = f"video/x-raw,format=NV12,width={width},height={height},framerate=25/1"
        subprocess.run(["gst-launch-1.0", "-q", "filesrc", f"location={clip}", "!", "decodebin", "!", "videorate", "!",
                        "video/x-raw,framerate=1/2", "!", "videoconvertscale", "!",
                        f"video/x-raw,format=NV12,width={width},height={height},pixel-aspect-ratio=1/1", "!", "identity",
                        f"eos-after={count + 1}", "!", "filesink", f"location={self.path}"], check=True)
        frame = width * height * 3 // 2
        held = self.path.stat().st_size // frame
        if held < count:
            raise RuntimeError(f"{clip} gave {held} frames instead of {count}")
        with open(self.path, "r+b") as file:
            file.truncate(count * frame)

    def python_arguments(self, model):
        return [str(self.path), str(self.width), str(self.height), str(model.size), model.mean, model.std]

    def reference(self, model):
        """The file of tensors that CLIP's own preprocessing makes of the frames."""
        path = self.directory / f"{self.width}x{self.height}-{model.path.name}.f32"
        if not path.exists():
            subprocess.run([PYTHON, HERE / "python_loop.py", "reference", *self.python_arguments(model), path], check=True)
        return path
