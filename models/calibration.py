# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures to calibrate and to judge a quantised model with, for quantise.py: found, taken from clips, prepared by gst-bcp."""
import concurrent.futures
import os
import subprocess

from make_bundle import Fault

PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff")
CLIPS = (".mp4", ".mkv", ".webm", ".mov", ".avi", ".ts", ".ogv")
HELD_OUT = 4  # one picture in so many
FRAMES_A_SECOND = 2


def find(given):
    """(pictures, clips) among the files given, and in the folders given and below; sorted, each once."""
    files = []
    for path in given:
        if os.path.isdir(path):
            files += [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
        elif os.path.isfile(path):
            files.append(path)
        else:
            raise Fault(f"there is no picture, clip or folder {path}: check the path")
    files = sorted(set(map(os.path.abspath, files)))
    pictures, clips = ([file for file in files if file.lower().endswith(endings)] for endings in (PICTURES, CLIPS))
    if not pictures and not clips:
        raise Fault(f"there is no picture and no video in {', '.join(given)}: give 100 pictures or more, or clips, of what the "
                    "streams will show")
    return pictures, clips


def frames_of(clip, into):
    """Frames of a clip as files, in the order of time."""
    os.makedirs(into)
    line = ["gst-launch-1.0", "-q", "filesrc", "location=" + clip, "!", "decodebin", "!", "videoconvert", "!", "videorate", "!",
            f"video/x-raw,format=RGB,framerate={FRAMES_A_SECOND}/1", "!", "pngenc", "compression-level=1", "!",
            "multifilesink", "location=" + os.path.join(into, "%06d.png")]
    try:
        ran = subprocess.run(line, capture_output=True, text=True)
    except OSError as error:
        raise Fault(f"gst-launch-1.0, which reads clips, cannot be run ({error.strerror}): install gstreamer1.0-tools, or give pictures")
    frames = sorted(os.path.join(into, name) for name in os.listdir(into))
    if ran.returncode != 0 or not frames:
        reason = next((text for text in ran.stderr.splitlines() if "ERROR" in text), "it has no frames")
        raise Fault(f"{clip} cannot be read as a video ({reason.strip()}): give another, or pictures")
    return frames


def describe(path, clips, scratch):
    """A frame of a clip by its clip and time, any other picture by its path."""
    folder, name = os.path.split(os.path.relpath(path, scratch))
    number = folder.removeprefix("clip")
    return f"{clips[int(number)]} at {int(name.removesuffix('.png')) / FRAMES_A_SECOND:g} s" if number.isdigit() else path


def thin(files, most):
    """At most so many, evenly spread."""
    if len(files) <= most:
        return files
    return [files[i * len(files) // most] for i in range(most)]


def split(pictures, clips, scratch, most):
    """(to calibrate with, to judge with): of pictures every fourth is held out, of each clip its last quarter, because
    neighbouring frames are almost copies."""
    calibrate, judge = [], []
    for number, picture in enumerate(pictures):
        (judge if number % HELD_OUT == HELD_OUT - 1 else calibrate).append(picture)
    for number, clip in enumerate(clips):
        frames = frames_of(clip, os.path.join(scratch, f"clip{number}"))
        cut = len(frames) - len(frames) // HELD_OUT
        calibrate += frames[:cut]
        judge += frames[cut:]
    return thin(calibrate, most), thin(judge, most)


def prepare(gst_bcp, model, pictures, scratch):
    """The tensors that the element would feed the model for these pictures, and sentences about those that cannot be read."""
    import numpy as np

    def prepare_one(job):
        number, picture = job
        array = os.path.join(scratch, f"{number}.npy")
        ran = gst_bcp("model", "preprocess", picture, array, "--model", model)
        return (array, None) if ran.returncode == 0 else (None, ran.stderr.strip())

    os.makedirs(scratch)
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        done = list(pool.map(prepare_one, enumerate(pictures)))
    arrays = [array for array, _ in done if array]
    return (lambda: (np.load(array) for array in arrays)), len(arrays), [fault for _, fault in done if fault]
