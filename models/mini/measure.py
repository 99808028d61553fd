#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures which of its labels mini knows, with the labels, context words and constants it ships with. Prints a Markdown table.

    measure.py --voc VOCdevkit --stamps /usr/share/tuxpaint/stamps

    --voc      PASCAL VOC2007, test pictures or some of them, with annotations
    --stamps   the photographs of Debian's package tuxpaint-stamps-default: one thing each, cut out; the file beside each names it
    --hits DIR a copy of each VOC picture under the label it shows, for labels without annotations: to be judged by eye

Needs gst-bcp in PATH, and Pillow. Stamps are pasted on white and on grey, and count half each.
"""
import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ET

from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
BACKGROUNDS = (255, 255, 255), (128, 128, 128)
VOC = {"aeroplane": "airplane", "motorbike": "motorcycle", "diningtable": "dining table", "pottedplant": "potted plant", "sofa": "couch",
       "tvmonitor": "tv"}
KINDS = {"vehicle": {"airplane", "bicycle", "boat", "bus", "car", "motorcycle", "train"}, "plant": {"potted plant"}}
# Drawings, symbols and what has no name of one thing.
NO_PHOTOGRAPH = re.compile(r"cartoon|symbols|_mirror|toys|plastic|flags|roadsigns|^space|^military|armor|dreydl|grave-|easter/(bunny|chick|daff|butter|blue)"
                           r"|sedan_police|halloween|naturalforces")
# The stamps that show a label, where its name is not in their description or is there by chance.
STAMPS = {
    "animal": r"^animals/", "bird": r"^animals/birds/", "plant": r"^plants/", "potted plant": r"^plants/", "vehicle": r"^vehicles/(?!7spoke|wheel)",
    "musical instrument": r"^hobbies/music/", "ball": r"^sports/.*(ball|soccer)", "dog": r"/dogs/", "cow": r"/(cow|bull|zebu)", "sheep": r"/(sheep|ram\.)",
    "guitar": r"/guitar", "car": r"^vehicles/(auto/(?!truck)|race/)", "truck": r"truck|dumper", "boat": r"/ship/", "camel": r"/camel/", "bear": r"/bears/",
    "airplane": r"/planes/", "airliner": r"/planes/747", "racing car": r"/race/", "soccer ball": r"sports/soccer", "horse": r"equines/horse",
    "person": r"^people/fireman", "train": r"$^", "bus": r"/masstransit/", "goose": r"/gander",
}


def photographs(stamps):
    for path in sorted(stamps.rglob("*.png")):
        name, words = path.relative_to(stamps).as_posix(), path.with_suffix(".txt")
        if not NO_PHOTOGRAPH.search(name) and words.exists():
            yield path, name, words.read_text(encoding="utf-8").split("\n")[0].lower()


def shows(label, name, words):
    if label in STAMPS:
        return bool(re.search(STAMPS[label], name))
    return bool(re.search(rf"\b{re.escape(label)}s?\b", words))


def paste(path, background, target):
    stamp = Image.open(path).convert("RGBA")
    side = int(max(stamp.size) * 1.25)
    canvas = Image.new("RGBA", (side, side), (*background, 255))
    canvas.alpha_composite(stamp, ((side - stamp.width) // 2, (side - stamp.height) // 2))
    canvas.convert("RGB").save(target)


def annotated(voc, identity):
    """The labels that are present, and those marked difficult."""
    there, unsure = set(), set()
    for item in ET.parse(voc / f"Annotations/{identity}.xml").findall("object"):
        name = VOC.get(item.find("name").text, item.find("name").text)
        (unsure if item.find("difficult").text == "1" else there).add(name)
    for kind, members in KINDS.items():
        if there & members:
            there.add(kind)
        elif unsure & members:
            unsure.add(kind)
    return there, unsure - there


def shown(folder):
    """Picture name to the labels it shows."""
    with tempfile.TemporaryDirectory() as scratch:
        lines = pathlib.Path(scratch) / "results.jsonl"
        subprocess.run(["gst-bcp", "run", folder, "--model", HERE, "--set", "smoothing=0", "--jsonl", lines, "--quiet"], check=True)
        results = map(json.loads, lines.read_text().splitlines())
        return {pathlib.Path(r["source"]).name: {x["label"] for x in r["labels"] if x["shown"]} for r in results if "labels" in r}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--voc", type=pathlib.Path, required=True)
    parser.add_argument("--stamps", type=pathlib.Path, required=True)
    parser.add_argument("--hits", type=pathlib.Path)
    options = parser.parse_args()
    voc = options.voc / "VOC2007"
    labels = [line for line in (HERE / "labels.txt").read_text().splitlines() if line and not line.startswith("#")]
    known = {VOC.get(n, n) for n in "aeroplane bicycle bird boat bottle bus car cat chair cow diningtable dog horse motorbike person "
             "pottedplant sheep sofa train tvmonitor".split()} | set(KINDS)
    count = collections.defaultdict(lambda: collections.Counter())

    pictures = shown(voc / "JPEGImages")
    for picture, found in pictures.items():
        there, unsure = annotated(voc, picture[:-4])
        for label in labels:
            if label in unsure:
                continue
            count[label].update({"there": label in there, "found": label in there and label in found, "shown": label in found})
            if options.hits and label in found and label not in known:
                (options.hits / label).mkdir(parents=True, exist_ok=True)
                shutil.copy(voc / "JPEGImages" / picture, options.hits / label)
    with tempfile.TemporaryDirectory() as scratch:
        truth = {}
        for number, (path, name, words) in enumerate(photographs(options.stamps)):
            for side, background in enumerate(BACKGROUNDS):
                target = f"{number:04}-{side}.png"
                paste(path, background, pathlib.Path(scratch) / target)
                truth[target] = name, words
        stamps = shown(scratch)
        wrong = 0.0
        for picture, (name, words) in truth.items():
            found = stamps.get(picture, set())
            wrong += any(not shows(label, name, words) for label in found) / 2
            for label in labels:
                right = shows(label, name, words)
                count[label].update({"stamps": right / 2, "stamps found": right / 2 * (label in found), "stamps wrong": (not right) / 2 * (label in found)})
    print(f"{len(pictures)} VOC pictures, {len(truth) // 2} stamps, {wrong:g} of them with a wrong label\n")
    print("| label | VOC pictures: there | of these shown | shown, of these right | stamps: there | of these shown | shown elsewhere |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for label in labels:
        c = count[label]
        annotation = label in known
        print(f"| {label} | {c['there'] if annotation else ''} | {c['found'] if annotation else ''} | {c['shown']}{', ' + str(c['found']) if annotation else ''} "
              f"| {c['stamps']:g} | {c['stamps found']:g} | {c['stamps wrong']:g} |")


if __name__ == "__main__":
    main()
