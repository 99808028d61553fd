# SPDX-License-Identifier: LGPL-2.1-or-later
"""Words: WordNet 3.0 (Debian wordnet-base), ImageNet's 1,000 synsets (from timm's wheel), word frequencies (wordfreq)."""
import os, re, glob, zipfile, functools, collections
import numpy as np

DICT = os.environ.get("WORDNET_DICT", "/usr/share/wordnet")
INFO = os.environ.get("TIMM_INFO", "timm/data/_info")
LEX = "noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body noun.cognition noun.communication noun.event noun.feeling noun.food noun.group noun.location noun.motive noun.object noun.person noun.phenomenon noun.plant noun.possession noun.process noun.quantity noun.relation noun.shape noun.state noun.substance noun.time".split()


class Synset:
    __slots__ = "id lex words up gloss down part".split()


@functools.lru_cache(None)
def wordnet():
    """offset -> Synset, lemma -> [offsets, commonest sense first]."""
    syn = {}
    for line in open(os.path.join(DICT, "data.noun"), encoding="latin-1"):
        if line.startswith("  "):
            continue
        head, gloss = line.rstrip().split(" | ", 1)
        f = head.split()
        s = Synset()
        s.id, s.lex = f[0], LEX[int(f[1]) - 3]
        n = int(f[3], 16)
        s.words = [f[4 + 2 * i].replace("_", " ") for i in range(n)]
        p = 4 + 2 * n
        ptr = [f[p + 1 + 4 * i:p + 5 + 4 * i] for i in range(int(f[p]))]
        s.up = [t for sym, t, pos, _ in ptr if sym in ("@", "@i") and pos == "n"]
        s.down = [t for sym, t, pos, _ in ptr if sym in ("~", "~i") and pos == "n"]
        s.part = [t for sym, t, pos, _ in ptr if sym in ("%p",) and pos == "n"]
        s.gloss = gloss
        syn[s.id] = s
    senses = {}
    for line in open(os.path.join(DICT, "index.noun"), encoding="latin-1"):
        if line.startswith("  "):
            continue
        f = line.split()
        n = int(f[2])
        senses[f[0].replace("_", " ")] = f[-n:]
    return syn, senses


def imagenet():
    return [l.strip()[1:] for l in open(os.path.join(INFO, "imagenet_synsets.txt"))]


@functools.lru_cache(None)
def counts():
    """(lemma, sense number) -> how often that sense was tagged."""
    c = {}
    for line in open(os.path.join(DICT, "cntlist.rev"), encoding="latin-1"):
        key, n, k = line.split()
        lemma, rest = key.split("%")
        if rest[0] == "1":
            c[(lemma.replace("_", " "), int(n))] = int(k)
    return c


def sense_share(lemma, offset):
    """How likely a bare word means this synset: tagged counts, smoothed towards the first senses."""
    _, senses = wordnet()
    s = senses.get(lemma.lower())
    if not s or offset not in s:
        return 0.0
    w = [counts().get((lemma.lower(), i + 1), 0) + 1.0 / (i + 1) for i in range(len(s))]
    return w[s.index(offset)] / sum(w)


def ancestors(offset):
    """All hypernyms with their distance."""
    syn, _ = wordnet()
    out, todo = {offset: 0}, [offset]
    while todo:
        o = todo.pop(0)
        for u in syn[o].up:
            if u not in out:
                out[u] = out[o] + 1
                todo.append(u)
    return out


TOO_ABSTRACT = set("""entity;physical entity;object;physical object;whole;unit;artifact;artefact;organism;being;living thing;animate thing;instrumentality;instrumentation;matter;abstraction;abstract entity;thing;causal agent;cause;causal agency;chordate;vertebrate;craniate;placental;placental mammal;eutherian;eutherian mammal;mammalian;solid;part;portion;relation;attribute;psychological feature;event;way;creation;commodity;trade good;good;article;substance;measure;shape;form;state;group;grouping;facility;installation;device;implement;conveyance;transport;equipment;unit of measurement;restraint;mechanism;covering;natural object;structure;construction;area;region;location;consumer goods;nutriment;nourishment;nutrition;sustenance;aliment;alimentation;victuals;foodstuff;food product;beast;brute;creature;animate being;fauna;domestic animal;domesticated animal;aquatic vertebrate;invertebrate;arthropod;support;supporting structure;barrier;obstruction;obstructor;obstructer;obstructer;impediment;impedimenta;geological formation;formation;work;product;production;act;human action;human activity;content;message;subject matter;substance;communication;signal;signaling;sign;material;stuff;fabric;material;tetrapod;amniote;ungulate;hoofed mammal;even-toed ungulate;artiodactyl;artiodactyl mammal;odd-toed ungulate;perissodactyl;perissodactyl mammal;plant organ;plant part;plant structure;reproductive structure;plant process;enation;produce;green goods;green groceries;garden truck;working group;worker;person;individual;someone;somebody;mortal;soul;extremity;appendage;outgrowth;cleaning device;constraint;mechanical device;means;source of illumination;light source;lamp;light;electronic device;electrical device;thing""".split(";"))


def closure(min_share=0.15):
    """For every ImageNet class: word -> weight. Its own names, and its hypernyms' names while they still name something one can see."""
    syn, senses = wordnet()
    out = []
    for c in imagenet():
        w = {}
        for a, d in ancestors(c).items():
            for lemma in syn[a].words:
                l = lemma.lower()
                if l in TOO_ABSTRACT and l not in ("lamp", "light"):
                    continue
                share = sense_share(lemma, a)
                if d > 0 and share < min_share:
                    continue
                w[l] = max(w.get(l, 0), (0.85 ** d) * max(share, 0.3 if d == 0 else 0))
        out.append(w)
    return out


VISIBLE = {"noun.animal", "noun.artifact", "noun.food", "noun.plant", "noun.person", "noun.body", "noun.object", "noun.location", "noun.phenomenon", "noun.substance", "noun.group", "noun.event", "noun.act"}

if __name__ == "__main__":
    syn, senses = wordnet()
    print(len(syn), len(senses))
    cl = closure()
    names = collections.Counter(w for c in cl for w in c)
    print(len(names), names.most_common(150))
    for c in (281, 654, 779, 831, 207, 1, 440, 508, 817):
        print(c, sorted(cl[c].items(), key=lambda t: -t[1])[:20])
