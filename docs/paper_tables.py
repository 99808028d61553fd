#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the tables of the paper that BCP comes from, as Markdown, with your own results beside them.

    docs/paper_tables.py --table anchors
    gst-bcp eval --dataset voc2007 --root VOCdevkit --model clip-vit-b16 --protocol all --json voc2007.json
    docs/paper_tables.py voc2007.json

The paper's figures are in paper_tables.json. A result finds its place by the data set and the model of its file; BCP is
only compared where it ran with the paper's settings, and an average needs all five data sets.
"""
import argparse
import json
import pathlib
import re
import sys

PAPER = json.loads(pathlib.Path(__file__).with_name("paper_tables.json").read_text())
DATASETS = {each["name"]: each for each in PAPER["datasets"]}
TABLES = {each["name"]: each for each in PAPER["tables"]}
TEMPLATE = "a photo of a {}"
PAPER_SETTINGS = {"anchor-confidence": 0.5, "strength": 1, "anchors": 1, "shrinkage": 0, "half-life": 0,
                  "novelty-distance": 0, "warm-up": False}
SPELLINGS = {"rn101": "RN101", "rn50": "RN50", "vitb32": "ViT-B/32", "vitbasepatch32": "ViT-B/32", "vitb16": "ViT-B/16",
             "vitbasepatch16": "ViT-B/16"}
TRAINED_OTHERWISE = "laion datacomp dfn metaclip siglip plus yfcc cc12m".split()


def plain(text):
    """Lower case, letters and digits only: "ViT-B/32" and "vit_b_32" are one."""
    return re.sub("[^a-z0-9]", "", text.lower())


def known(name, names):
    return next((each for each in names if plain(each) == plain(name)), None)


def backbone_of(model):
    """The paper's backbone behind a model's name; None for any other model, trained otherwise or of another size."""
    name = plain(pathlib.Path(model).name)
    if any(word in name for word in TRAINED_OTHERWISE):
        return None
    for spelling, backbone in SPELLINGS.items():
        if spelling in name:
            rest = name.split(spelling, 1)[1]
            return None if rest[:1] == "x" or rest[:1].isdigit() else backbone  # RN50x4 is another model
    return None


def logits(row, key):
    value = row.get(key)
    return value.get("logits") if isinstance(value, dict) else None


class Evaluation:
    def __init__(self, path, backbone, dataset):
        self.path = path
        try:
            self.json = json.loads(pathlib.Path(path).read_text())
        except OSError as error:
            sys.exit(f"{path}: {error.strerror}")
        except ValueError:
            sys.exit(f"{path} is not JSON: give a file that gst-bcp eval --json wrote")
        if not (isinstance(self.json, dict) and isinstance(self.json.get("settings"), dict) and "zero_shot" in self.json):
            sys.exit(f"{path} is JSON, but not an evaluation: give a file that gst-bcp eval --json wrote")
        if self.json.get("version") != 1:
            sys.exit(f"{path} has the version {self.json.get('version')}; this script reads version 1")
        self.settings = self.json["settings"]
        named = self.settings.get("dataset") or dataset
        if not named:
            sys.exit(f"{path} does not name its data set: add --dataset ({', '.join(DATASETS)})")
        self.dataset = known(named, DATASETS)
        if not self.dataset:
            sys.exit(f"{path} is of {named}, which is not a data set of the paper ({', '.join(DATASETS)})")
        self.backbone = backbone_of(self.settings.get("model") or "") or backbone
        if not self.backbone:
            sys.exit(f"{path} is of the model {self.settings.get('model')}: if it is a backbone of the paper "
                     f"({', '.join(PAPER['backbones'])}), add --backbone")

    def key_of(self, method, protocol=None):
        """What the file calls a method of the paper; None where it does not have it as the paper does it."""
        if method != "BCP":
            return "zero_shot" if method == "CLIP" else method.lower()
        # A sweep is of the BCP that was asked for, and only of that.
        swept = {"anchors": "anchors", "warm_up": "warm-up"}.get(protocol)
        if not swept and "bcp_paper" in self.json:
            return "bcp_paper"
        same = all(self.settings.get(key, value) == value for key, value in PAPER_SETTINGS.items() if key != swept)
        return "bcp" if same else None

    def figure(self, method, protocol, line):
        key = self.key_of(method, protocol)
        if not key or not protocol:
            return logits(self.json, key) if key else None
        for row in self.json.get("protocols", {}).get(protocol, []):
            if line in [value for value in row.values() if isinstance(value, str)]:
                return row.get("share") if method == "share, %" else logits(row, key)
        return None

    def mean_over_orders(self, method):
        rows = [row for row in self.json.get("protocols", {}).get("orderings", []) if row["order"] not in ("file", "given")]
        figures = [logits(row, self.key_of(method)) for row in rows]
        return sum(figures) / len(figures) if figures and None not in figures else None

    def remarks(self):
        """What makes its figures differ from the paper's in kind."""
        for key, there, what in (("samples", "images", "pictures"), ("labels", "labels", "labels")):
            here, paper = self.settings.get(key), DATASETS[self.dataset][there]
            if here is not None and here != paper:
                yield f"is of {here} {what}; the paper's {self.dataset} has {paper}"
        if self.settings.get("prompt-template") not in (None, "", [], TEMPLATE, [TEMPLATE]):
            yield f'has other templates than the paper, which asks for "{TEMPLATE}"'
        if self.settings.get("coverage") not in (None, "centre"):
            yield f"has --coverage {self.settings['coverage']}; CLIP itself sees the middle of a picture"
        if self.settings.get("difficult") == "absent":
            yield "counts what is not to be judged as absent; the paper does not say what it does"
        if not self.key_of("BCP"):
            yield "does not have BCP as in the paper: its settings are others"


def here_of(table, row, column, evaluations):
    dataset = column if table["across"] == "dataset" else row.get("dataset", table.get("dataset"))
    found = evaluations.get((dataset, row.get("backbone", table.get("backbone"))))
    if not found:
        return None
    if table["across"] == "order":
        return found.mean_over_orders(row["method"]) if column == "Average" else None
    line = column if table["across"] == "line" else row.get(table.get("line_key"), table.get("line"))
    return found.figure(row["method"], table.get("protocol"), line)


def is_figure(value):
    return isinstance(value, (int, float))


def figure(value):
    """With two decimals, or nothing where the paper or the evaluation has no figure."""
    return f"{value:.2f}" if is_figure(value) else ""


def cells_of(table, row, evaluations):
    own = []
    for column in table["columns"]:
        paper = row.get(column)
        if table["across"] == "dataset" and column == "Average":  # of all data sets or none: another mean is another figure
            here = sum(own) / len(own) if None not in own else None
        else:
            here = here_of(table, row, column, evaluations)
        own.append(here)
        yield figure(paper)
        if table["across"] != "order" or column == "Average":
            has_both = is_figure(here) and is_figure(paper)
            yield figure(here) + (f" ({here - paper:+.2f})" if has_both else "")


def print_rows(heading, names, rows):
    print("| " + " | ".join(heading) + " |")
    print("|" + " --- |" * names + " ---: |" * (len(heading) - names))
    for row in rows:
        print("|" + "".join(f" {cell} |" if cell else " |" for cell in row))
    print()


def print_table(table, evaluations):
    split = table["keys"][0] == "backbone"  # a table for each
    keys = table["keys"][1:] if split else table["keys"]
    heading = list(keys)
    for column in table["columns"]:
        heading += [column, "here"] if table["across"] != "order" or column == "Average" else [column]
    for title in dict.fromkeys(row["backbone"] if split else "" for row in table["rows"]):
        if title:
            print(f"**{title}**\n")
        rows = [row for row in table["rows"] if not split or row["backbone"] == title]
        print_rows(heading, len(keys), [[row[key] for key in keys] + list(cells_of(table, row, evaluations)) for row in rows])
    print("\n".join(table["notes"]))


def print_not_live():
    rows = []
    for each in PAPER["not_live"]:
        figures = dict(each.get("figures", {}))
        backbone = figures.pop("backbone", "")
        also = f" ({backbone}: " + ", ".join(f"{name} {value:.2f}" for name, value in figures.items()) + ")" if figures else ""
        rows.append([each["method"], f"{each['seconds']:.2f}" if "seconds" in each else "", each["why"] + also])
    print()
    print_rows(["method", "seconds a picture", "why it is not for live video"], 3, rows)
    print(f"Seconds are the paper's, on COCO2014 with RN50, where BCP took {PAPER['bcp_seconds']:.3f}; it does not say on "
          "what machine.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="*", metavar="RESULT", help="a file that gst-bcp eval --json wrote")
    parser.add_argument("--table", choices=TABLES, default="main")
    parser.add_argument("--backbone", choices=PAPER["backbones"], help="of results whose model's name does not say it")
    parser.add_argument("--dataset", help="of results of arrays, which do not name it")
    options = parser.parse_args()
    evaluations = {}
    for path in options.results:
        one = Evaluation(path, options.backbone, options.dataset)
        other = evaluations.setdefault((one.dataset, one.backbone), one)
        if other is not one:
            sys.exit(f"{other.path} and {path} are both of {one.dataset} with {one.backbone}: give one of them")
    print_table(TABLES[options.table], evaluations)
    if options.table == "main":
        print_not_live()
    print("\nmAP in per cent, ranked by logits. here: own figures, and their difference to the paper's.")
    for one in evaluations.values():
        for remark in one.remarks():
            print(f"Mind: {one.path} {remark}.")


main()
