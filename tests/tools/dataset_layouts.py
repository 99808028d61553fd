# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lays pictures out as a data set is published: dataset_layouts.py NAME DIRECTORY PICTURE...

What is true is made up from their numbers: person in every second picture, bottle in every third, chair in every fifth; in VOC
and in folders a chair is difficult in every seventh.
"""

import json
import pathlib
import shutil
import sys

VOC = ("aeroplane bicycle bird boat bottle bus car cat chair cow diningtable dog horse motorbike person pottedplant sheep sofa "
       "train tvmonitor").split()
COCO = {1: "person", 44: "bottle", 62: "chair", 3: "car"}


def truth(number: int, label: str) -> int:
    if label == "chair" and number % 5 and number % 7 == 0:
        return -1
    return int(number % {"person": 2, "bottle": 3, "chair": 5}.get(label, 10**9) == 0)


def put(pictures: list[pathlib.Path], names: list[pathlib.Path]) -> None:
    for picture, name in zip(pictures, names):
        name.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, name)


def write(path: pathlib.Path, lines: list[str], end: str = "\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + end for line in lines), newline="")


def voc(root: pathlib.Path, pictures: list[pathlib.Path], year: str, split: str) -> None:
    base = root / "VOCdevkit" / year
    ids = [f"{2 * i + 1:06}" for i in range(len(pictures))]
    put(pictures, [base / "JPEGImages" / f"{i}.jpg" for i in ids])
    write(base / "ImageSets/Main" / f"{split}.txt", ids)
    for name in VOC:
        marks = {1: " 1", 0: "-1", -1: " 0"}
        write(base / "ImageSets/Main" / f"{name}_{split}.txt", [f"{i} {marks[truth(n, name)]}" for n, i in enumerate(ids)])


def coco(root: pathlib.Path, pictures: list[pathlib.Path], split: str) -> None:
    names = [f"COCO_{split}_{i:012}.jpg" for i in range(len(pictures))]
    put(pictures, [root / split / name for name in names])
    instances = {
        "images": [{"id": 1000 - i, "file_name": name} for i, name in enumerate(names)],
        "annotations": [{"id": 1, "image_id": 1000 - i, "category_id": key, "iscrowd": int(i % 4 == 0), "segmentation": [[1, 2.5]]}
                        for i in range(len(names)) for key, name in COCO.items() if truth(i, name) == 1],
        "categories": [{"id": key, "name": name, "supercategory": "thing"} for key, name in COCO.items()]}
    write(root / "annotations" / f"instances_{split}.json", [json.dumps(instances)])


def nuswide(root: pathlib.Path, pictures: list[pathlib.Path]) -> None:
    concepts = ["bottle", "cars", "chair", "person"]
    names = [f"topic{i % 3}\\{i:04}_{i * 7919}.jpg" for i in range(len(pictures))]
    put(pictures, [root / "Flickr" / name.replace("\\", "/") for name in names])
    write(root / "ConceptsList/Concepts81.txt", concepts, "\r\n")
    write(root / "ImageList/TestImagelist.txt", names, "\r\n")
    for concept in concepts:
        write(root / f"Groundtruth/TrainTestLabels/Labels_{concept}_Test.txt",
              [str(int(truth(i, concept) == 1)) for i in range(len(names))], "\r\n")


def folder(root: pathlib.Path, pictures: list[pathlib.Path]) -> None:
    names = [f"day {i % 2}, morning/{i}.jpg" for i in range(len(pictures))]
    put(pictures, [root / name for name in names])
    labels = ["person", "bottle", "chair"]
    write(root / "truth.csv", [",".join(["picture", *labels])] +
          [f'"{name}",' + ",".join(str(truth(i, label)) for label in labels) for i, name in enumerate(names)], "\r\n")


def main() -> None:
    name, root = sys.argv[1], pathlib.Path(sys.argv[2])
    pictures = [pathlib.Path(path) for path in sys.argv[3:]]
    lay_out = {
        "voc2007": lambda: voc(root, pictures, "VOC2007", "test"), "voc2012": lambda: voc(root, pictures, "VOC2012", "val"),
        "coco2014": lambda: coco(root, pictures, "val2014"), "coco2017": lambda: coco(root, pictures, "val2017"),
        "nuswide": lambda: nuswide(root, pictures), "folder": lambda: folder(root, pictures)}
    lay_out[name]()


main()
