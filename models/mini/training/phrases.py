# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the text tower learns to read: about a quarter of a million English words and phrases (no template: templates are added while training)."""
import random, re, os
from words import wordnet, closure, imagenet, VISIBLE, DICT, INFO
from wordfreq import zipf_frequency, top_n_list

COLOURS = "red orange yellow green blue purple pink brown black white grey gray golden silver beige turquoise dark light pale bright".split()
LOOKS = "big small large little tiny huge old new young wooden metal plastic glass stone paper leather woollen cotton rusty shiny broken empty full wet dry dirty clean round square flat long short tall thin thick narrow wide open closed hot cold frozen fresh ripe cooked raw fried striped spotted colourful colorful beautiful ugly cute happy sad angry sleeping running flying swimming sitting standing parked moving modern vintage ancient electric toy wild domestic baby adult male female crowded quiet sunny rainy snowy cloudy foggy indoor outdoor urban rural tropical public private busy abandoned antique fluffy furry hairy soft hard heavy burning sliced".split()
DOING = "riding driving holding carrying eating drinking feeding walking chasing washing cleaning fixing making cooking cutting throwing catching kicking hitting reading writing playing wearing watching looking at sitting on standing near pushing pulling climbing opening closing painting selling buying".replace("looking at", "looking_at").replace("sitting on", "sitting_on").replace("standing near", "standing_near").split()
WHO = "person man woman boy girl child baby people dog cat horse bird worker player policeman farmer soldier student chef".split()
PLACES = "street road field forest beach park garden kitchen bedroom bathroom living_room office classroom restaurant shop supermarket station airport harbour stadium river lake sea mountain snow sky table floor roof wall window city village farm zoo desert bridge car boat bus".replace("_", " ").split(" ")
BRITISH = """aeroplane/airplane colour/color grey/gray tyre/tire lorry/truck pavement/sidewalk motorbike/motorcycle jewellery/jewelry centre/center theatre/theater harbour/harbor armour/armor yoghurt/yogurt doughnut/donut pyjamas/pajamas aluminium/aluminum plough/plow kerb/curb moustache/mustache cosy/cozy sofa/couch lift/elevator torch/flashlight nappy/diaper pram/stroller crisps/chips biscuit/cookie autumn/fall football/soccer tram/streetcar railway/railroad telly/television trainers/sneakers trousers/pants jumper/sweater rubbish/garbage bin/trash_can petrol_station/gas_station fire_engine/fire_truck wardrobe/closet tap/faucet cooker/stove mum/mom aubergine/eggplant courgette/zucchini maize/corn holiday/vacation motorway/highway car_park/parking_lot mobile_phone/cell_phone caravan/camper post_box/mailbox zebra_crossing/crosswalk spanner/wrench cinema/movie_theater potted_plant/houseplant dining_table/dinner_table tv/television bike/bicycle plane/airplane""".replace("_", " ")


def plural(w):
    head, last = (w.rsplit(" ", 1) + [""])[:2] if " " in w else ("", w)
    irregular = {"man": "men", "woman": "women", "child": "children", "person": "people", "foot": "feet", "tooth": "teeth", "mouse": "mice", "goose": "geese", "sheep": "sheep", "fish": "fish", "deer": "deer", "knife": "knives", "leaf": "leaves", "wolf": "wolves", "loaf": "loaves", "shelf": "shelves", "calf": "calves", "half": "halves", "life": "lives", "wife": "wives", "ox": "oxen"}
    if last in irregular:
        p = irregular[last]
    elif re.search("(s|x|z|ch|sh)$", last):
        p = last + "es"
    elif re.search("[^aeiou]y$", last):
        p = last[:-1] + "ies"
    else:
        p = last + "s"
    return (head + " " + p).strip()


def build(seed=0):
    rnd = random.Random(seed)
    syn, senses = wordnet()
    nouns = [w for w in senses if not re.match("(genus|family|order|class|phylum|subfamily|suborder|superfamily) ", w) and not re.search("aceae$|idae$", w)]
    seen_lex = {}
    for w, offs in senses.items():
        seen_lex[w] = syn[offs[0]].lex
    common = [w for w in top_n_list("en", 60000) if re.fullmatch("[a-z][a-z'\\-]*[a-z]", w)]
    visible = [w for w in nouns if seen_lex[w] in VISIBLE and zipf_frequency(w, "en") >= 2.6 and re.fullmatch("[a-z][a-z \\-]+", w)]
    named = sorted({w for c in closure() for w in c})
    inet21 = sorted({w.lower() for l in open(os.path.join(INFO, "imagenet21k_goog_synsets.txt")) for w in (syn[l.strip()[1:]].words if l.strip()[1:] in syn else [])})
    plain = [w for w in visible if zipf_frequency(w, "en") >= 3.0 and w.count(" ") < 2]
    weight = [10 ** (0.6 * zipf_frequency(w, "en")) * (0.5 if " " in w else 1) for w in plain]
    pick = lambda n: rnd.choices(plain, weight, k=n)
    out = dict.fromkeys(named)                                     # ordered set
    nouns = [w for w in nouns if seen_lex[w] in VISIBLE or zipf_frequency(w, "en") >= 2.5]
    for group in (inet21, visible, common, nouns): out.update(dict.fromkeys(group))
    out.update(dict.fromkeys(w for p in BRITISH.split(" ") for w in p.split("/")))
    for line in re.split(r"(?<=\w) (?=\S+/)", BRITISH):
        out.update(dict.fromkeys(x for x in line.split("/")))
    out.update(dict.fromkeys(plural(w) for w in visible))
    out.update(dict.fromkeys(plural(w) for w in named))
    for w in pick(40000): out[rnd.choice(COLOURS + LOOKS) + " " + w] = None
    for a, b in zip(pick(15000), pick(15000)): out[a + " " + b] = None
    for a, b in zip(pick(12000), pick(12000)): out[rnd.choice([f"{a} and {b}", f"{a} with {b}", f"{a} on a {b}", f"{a} in a {b}", f"{a} next to a {b}", f"{a} of {b}"])] = None
    for w in pick(12000): out[f"{rnd.choice(WHO)} {rnd.choice(DOING).replace('_', ' ')} {rnd.choice(['', 'a ', 'the '])}{w}"] = None
    for w in pick(8000): out[f"{w} {rnd.choice(['in the', 'on the', 'near the', 'at the'])} {rnd.choice(PLACES)}"] = None
    glosses = [re.split("[;(:]", s.gloss)[0].strip() for s in syn.values() if s.lex in VISIBLE]
    glosses = [g for g in glosses if 2 <= len(g.split()) <= 12]
    out.update(dict.fromkeys(rnd.sample(glosses, 15000)))
    return [w for w in out if 1 < len(w) < 100]


if __name__ == "__main__":
    p = build()
    print(len(p), len(set(p)), p[::len(p) // 80])
