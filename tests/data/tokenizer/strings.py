# SPDX-License-Identifier: LGPL-2.1-or-later
"""The texts that generate.py hands to the reference tokenizers. Deterministic."""
import random
import unicodedata

SKIPPED = ("Cn", "Cs")  # unassigned, surrogates

# Article 1 of the Universal Declaration of Human Rights, or its beginning, which is in the public domain.
ARTICLES = """
All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood.
Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geiste der Brüderlichkeit begegnen.
Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.
Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.
Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade.
Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti.
Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.
Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv.
Minden emberi lény szabadon születik és egyenlő méltósága és joga van.
Toate ființele umane se nasc libere și egale în demnitate și în drepturi.
Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. İSTANBUL'DA IŞIK VE İYİLİK
Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan.
Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền.
Hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum.
Visi cilvēki piedzimst brīvi un vienlīdzīgi savā pašcieņā un tiesībās.
Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.
ΟΛΟΙ ΟΙ ΑΝΘΡΩΠΟΙ ΓΕΝΝΙΟΥΝΤΑΙ ΕΛΕΥΘΕΡΟΙ ΚΑΙ ΙΣΟΙ ΣΤΗΝ ΑΞΙΟΠΡΕΠΕΙΑ. ΟΔΥΣΣΕΥΣ, ΣΟΦΟΣ· Σ ΑΣ. Σ.Α ΑΣ'Α
Все люди рождаются свободными и равными в своём достоинстве и правах.
Всички хора се раждат свободни и равни по достойнство и права.
Усі люди народжуються вільними і рівними у своїй гідності та правах. ЇЖАК, ҐАНОК
Сва људска бића рађају се слободна и једнака у достојанству и правима. Ljubav Njegoš DŽEP ǅep ǉubav
Բոլոր մարդիկ ծնվում են ազատ ու հավասար իրենց արժանապատվությամբ ու իրավունքներով։
ყველა ადამიანი იბადება თავისუფალი და თანასწორი თავისი ღირსებითა და უფლებებით. ᲧᲕᲔᲚᲐ ᲐᲓᲐᲛᲘᲐᲜᲘ ႠႡႢ ⴀⴁⴂ
כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. שָׁלוֹם עֲלֵיכֶם
يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. السَّلَامُ عَلَيْكُم ٠١٢٣٤٥
تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند. ۰۱۲۳۴
सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। क़ ख़ १२३
সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা এবং অধিকার নিয়ে জন্মগ্রহণ করে। ড় ঢ়
மனிதப் பிறிவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர். கொ கௌ
ప్రతిపత్తిస్వత్వముల విషయమున మానవులెల్లరును జన్మతః స్వతంత్రులును సమానులును నగుదురు.
ಎಲ್ಲಾ ಮಾನವರೂ ಸ್ವತಂತ್ರರಾಗಿಯೇ ಜನಿಸಿದ್ದಾರೆ.
മനുഷ്യരെല്ലാവരും തുല്യാവകാശങ്ങളോടും അന്തസ്സോടും സ്വാതന്ത്ര്യത്തോടുംകൂടി ജനിച്ചിട്ടുള്ളവരാണ്.
සියලු මනුෂ්‍යයෝ නිදහස්ව උපත ලබා ඇත.
มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ น้ำ ๑๒๓
ມະນຸດເກີດມາມີສິດເສລີພາບ ແລະ ສະເໝີໜ້າກັນ
མི་རིགས་ཚང་མར་སྐྱེས་ཙམ་ཉིད་ནས་ཆེ་མཐོངས་དང་ཐོབ་ཐང་གི་རང་དབང་འདྲ་མཉམ་དུ་ཡོད་ལ།
လူတိုင်းသည် တူညီ လွတ်လပ်သော ဂုဏ်သိက္ခာဖြင့် လည်းကောင်း မွေးဖွားလာသူများ ဖြစ်သည်။
មនុស្សទាំងអស់កើតមកមានសេរីភាពនិងសមភាព
人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。
人人生而自由，在尊嚴和權利上一律平等。
すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。ガギグ パピプ ｶﾞｷﾞｸﾞ ﾊﾟﾋﾟﾌﾟ
모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 한글
የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው።
Ꭰꮒꮿꮩꮈ ᎾᏍᎩ ᎤᎾᏓᏅᏙ ᏣᎳᎩ ꮳꮃꭹ ᏸᏹᏺ
ᓄᓇᕐᔪᐊᒥ ᐃᓅᔪᓕᒫᑦ ᐊᓂᖅᑎᕆᔪᓕᒫᑦ
ᠬᠦᠮᠦᠨ ᠪᠦᠷ ᠲᠥᠷᠥᠵᠦ ᠮᠡᠨᠳᠡᠯᠡᠬᠦ
""".strip().split("\n")

WORDS = """aeroplane bicycle bird boat bottle bus car cat chair cow dining-table dog horse motorbike person potted-plant sheep sofa
train tv/monitor traffic-light fire-hydrant stop-sign parking-meter bench elephant bear zebra giraffe backpack umbrella handbag tie
suitcase frisbee skis snowboard sports-ball kite baseball-bat skateboard surfboard tennis-racket wine-glass cup fork knife spoon bowl
banana apple sandwich orange broccoli carrot hot-dog pizza donut cake couch bed toilet laptop mouse remote keyboard cell-phone
microwave oven toaster sink refrigerator book clock vase scissors teddy-bear hair-drier toothbrush tench goldfish great-white-shark
hammerhead stingray cock hen ostrich brambling goldfinch junco indigo-bunting robin bulbul jay magpie chickadee water-ouzel bald-eagle
vulture spotted-salamander axolotl bullfrog loggerhead mud-turtle terrapin banded-gecko common-iguana whiptail agama frilled-lizard
Komodo-dragon triceratops thunder-snake boa-constrictor rock-python trilobite harvestman black-widow tarantula centipede peacock quail
macaw lorikeet coucal hornbill hummingbird toucan drake echidna platypus wallaby koala wombat jellyfish nematode conch Chihuahua
Shih-Tzu Blenheim-spaniel Weimaraner Staffordshire-bullterrier Dandie-Dinmont Lhasa Kuvasz Schipperke Rottweiler Appenzeller
EntleBucher Saint-Bernard affenpinscher Pembroke Mexican-hairless dhole meerkat crème-brûlée jack-o'-lantern potter's-wheel
ladies'-night can't won't they'll I've we're she'd I'm it's rock'n'roll o'clock naïve café Zürich Łódź São-Paulo""".split()

TEMPLATES = """a photo of a {}.|a bad photo of the {}.|a photo of many {}.|{}|A PHOTO OF A {}!!|itap of my {}.|a {} in a video game.
art of the {}.|"{}"|“{}”|the {}, 3 of 10 (№ {})|#{} @{}|{} {}|a origami {}; {}s|{}'s {}|‘{}’s’|a close-up photo of {}: {}%""".replace("\n", "|").split("|")

EMOJI = """😀 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🏴󠁧󠁢󠁷󠁬󠁳󠁿 🇩🇪🇫🇷 👨🏿‍🚀 ❤️‍🔥 🧑‍🤝‍🧑 ☕️ ☕︎ 1️⃣ #️⃣ 🫠 🫱🏻‍🫲🏿 ✌🏼 ©️ ™ 🅰️ 🈚 🀄 🃏 ♟️ 🤷‍♀️ :-) ;) <3 ¯\\_(ツ)_/¯ (╯°□°)╯︵ ┻━┻""".split()

CODE = r"""int main(void) { return 0; }|for (i = 0; i < n; ++i) a[i] &= ~b[i];|x = {"key": [1, 2.5e-3, null]}|SELECT * FROM t WHERE a <> 'b';
std::vector<std::string> v{"a", "b"};|if a and b: print(f"{x!r:>10}")|<a href="https://example.org/?q=1&amp;r=2#x">link &amp; text</a>
https://example.org/path/to/file.html?x=1&y=2&copy=3&reg=4|ftp://user:pw@host:21/%7Efile|mailto:someone@example.org|C:\Windows\System32\*.dll
#!/bin/sh -e|<!-- comment --> <?xml version="1.0"?>|a&b&&c&amp&amp;&ampamp;|$ ls -la | grep '^d' > /dev/null 2>&1|1.234,56 € + 7% = 1/2 ² ³ ½ Ⅷ ①
gst-launch-1.0 videotestsrc ! bcptagger ! fakesink|\u00e9 \x41 \n \t \\|@media (max-width: 100px) { a::before { content: "\201C"; } }""".replace("\n", "|").split("|")

SPECIALS = """<start_of_text> <end_of_text> <|startoftext|> <|endoftext|> <START_OF_TEXT> <End_Of_Text> <|STARTOFTEXT|> <|EndOfText|>
<ſtart_of_text> <|ſtartoftext|> &lt;end_of_text&gt; &amp;lt;|endoftext|&amp;gt; ＜end_of_text＞ <end_of_text <|endoftext|>> <<|endoftext|>
<end_of_text><start_of_text> a<|endoftext|>b Franz franz FRANZ Kafka Franz\u00a0Kafka franz\tkafka <end\u200b_of_text> <|endof\x01text|>""".split(" ")

# Plain text to the tokenizer: nothing of it is decoded.
REFERENCES = """&amp; &amp;amp;lt; &EACUTE; &eacute &notit; &nbsp; &#59; &#x41; &#X1F600; &#99999999999999999999; &#x; &#; &; & &&
&#x1b;[31m &#27;[0m ＆amp; &am\x00p; &a\x1b[1mmp; \x1b[&#51;1m &\u200bamp; &copy2024 &rsquo; &ldquo;x&rdquo;""".split()

CONTROLS = ["\x1b[31mred\x1b[0m", "\x1b[1;32;40mX", "\x1b[m", "\x1b[", "\x1b[12", "\x1b]0;title\x07", "\x1b[٣m", "\x1b[３m", "\x1b［1m", "\x1b\x01[1m",
            "\x1b[?25h", "\x1b[38;5;1mA\x1b[0K", "\x9b31m", "a\x00b", "\x07bell", "tab\tstop", "a\rb", "a\r\nb\n\rc", "a\x0bb", "a\x0cb", "a\x85b",
            "a\u2028b\u2029c", "\x1c\x1d\x1e\x1fx\x1cy", "\x7fdel", "\ufeffbom", "x\ufffcy", "\ufff9a\ufffab\ufffb", "\u206a\u206f", "\u200b\u200c\u200d\u2060",
            "\u202eabc\u202c", "\xad soft\xadhyphen", "\x80\x81\x82\x83\x84\x91\x92\x93\x94\x95", "caf\x8e \x96 \x97", "\ufffd\ufffd", "a\u180eb", "\u00a0\u2003\u3000x\u205f\u1680y",
            "\x1bc\x1b[2J\x1b[H", "\u0345", "a\u0345b", "\u0345Σ", "AΣ\u0345", "'\u0345s", "!\u0345!", "\u1f80\u0345", "α\u0345", "'ſ", "'ſt x'ſ", "ʕΣ", "ʕΣʕ",
            "A\u0301Σ", "ΑΣ\u0301", "ΑΣ\u0301Α", "Σ", "ΣΣ", "ΣΣΣ ΣΣ", "ΑΣ.Α", "ΑΣ-Α", "ΑΣ’Α", "ΑΣ:Α", "1Σ", "ʰΣ", "aʰΣ", "\U0001d6baΣ", "A\U0001171eΣ", "İ", "Iı", "İSTANBUL",
            "ŉ", "ﬅ ﬆ ﬁﬂﬃﬄﬀ", "Ĳsselmeer ĳ", "ǅ Ǆ ǆ Ǉ ǈ ǉ Ǌ ǋ ǌ Ǳ ǲ ǳ", "ﬓ ﬔ יִ ﷺ", "ＬＯＵＤ　ＮＯＩＳＥＳ", "Ｕﾀｰﾝ ﾜﾝﾋﾟｰｽ ﾞ ﾟ ￠￡￥￦￣", "ﾡﾢﾣ ￂￃ", "\u02bc \u2018\u2019\u201a\u201b \u201c\u201d\u201e\u201f",
            "K Å Ω", "ẞ ß", "\u1e9b\u0323", "e\u0301\u0327", "\u1100\u1161\u11a8", "\u1112\u1161\u11ab\u1100\u1173\u11af", "각\u11a8", "\u0958 \u09dc \u0f77", "\u0344 \u0340 \u0341 \u0343 \u0374 \u037e \u0387",
            "\u2126\u212a\u212b", "豈 更 車", "\ufb1d\ufb2a", "\U0001d15e\U0001d1bb", "\u0f71\u0f72\u0f74", "\u3099\u304b\u3099"]

# Bytes, written as Latin-1.
BROKEN = ["\xff\xfe", "abc\x80def", "\xc3", "\xc3(", "\xe2\x82", "\xe2\x82(", "\xf0\x9f\x98", "\xf0\x9f\x98x", "\xed\xa0\x80\xed\xb0\x80", "\xc0\x80", "\xe0\x80\x80",
          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "a\xf0\x80\x80\x80b", "\xfe\xfe\xff\xff", "caf\xe9", "na\xefve r\xe9sum\xe9", "\xe0\x9f\xbf", "\xef\xbb\xbfbom", "\x80\xbf", "\xf0\x90\x28\xbc",
          "\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", "<\xff>&amp;\xff;"]

SCRIPTS = [(0x20, 0x7E), (0xA0, 0x24F), (0x250, 0x36F), (0x370, 0x3FF), (0x400, 0x52F), (0x530, 0x5FF), (0x600, 0x77F), (0x7C0, 0x8FF), (0x900, 0x97F), (0x980, 0xDFF),
           (0xE00, 0xFFF), (0x1000, 0x10FF), (0x1100, 0x11FF), (0x1200, 0x139F), (0x13A0, 0x167F), (0x1680, 0x18AF), (0x1900, 0x1CFF), (0x1D00, 0x1DFF), (0x1E00, 0x1FFF),
           (0x2000, 0x206F), (0x2070, 0x2BFF), (0x2C00, 0x2E7F), (0x2E80, 0x33FF), (0x3400, 0x9FFF), (0xA000, 0xABFF), (0xAC00, 0xD7FF), (0xF900, 0xFAFF), (0xFB00, 0xFDFF),
           (0xFE00, 0xFFFF), (0x10000, 0x10FFF), (0x11000, 0x11FFF), (0x12000, 0x1BFFF), (0x1D000, 0x1DFFF), (0x1E000, 0x1EFFF), (0x1F000, 0x1FAFF), (0x20000, 0x3134F), (0xE0000, 0xE01EF)]


def text_of(case):
    if "latin1" in case:
        return case["latin1"].encode("latin-1").decode("utf-8", "replace")
    return case["text"] * case.get("repeat", 1)


def around(character):
    """What one code point is tried in: alone, in a word, and where a sigma looks for the end of its word."""
    return f"x{character}Y", f"AΣ{character}b AΣ{character} {character}Σ A{character}Σ"


def assigned_ranges():
    """Every assigned code point but those of the private planes, cut to ranges of 1,024 at most."""
    first = None
    for c in range(0xF0000 + 1):
        good = c < 0xF0000 and unicodedata.category(chr(c)) not in SKIPPED
        if first is not None and (not good or c - first == 1024):
            yield first, c - 1
            first = None
        if good and first is None:
            first = c


def mixtures(rng):
    blocks = [[chr(c) for c in range(a, b + 1) if unicodedata.category(chr(c)) not in SKIPPED] for a, b in SCRIPTS]
    blocks = [block for block in blocks if block]
    everything = [c for block in blocks for c in block]
    ascii_letters = [chr(c) for c in range(0x20, 0x7F)]
    glue = [" ", " ", "  ", "\n", "\t", "\u00a0", "'", "'s", "'S", "’s", "'ll", "'", ".", "-", "&", ";", "&amp;", "<", "\u200d", "\ufe0f", "\u0301", "1", "42"]
    marks = [c for c in everything if unicodedata.combining(c)]
    nasty = CONTROLS + REFERENCES + SPECIALS + EMOJI + WORDS[:60]
    for block in blocks:
        for _ in range(60):
            yield "".join(rng.choice(block) if rng.random() < 0.8 else rng.choice(glue) for _ in range(rng.randint(1, 24)))
    for _ in range(1500):
        yield "".join(rng.choice(everything) for _ in range(rng.randint(1, 16)))
    for _ in range(1500):
        yield "".join(rng.choice(rng.choice((everything, ascii_letters, glue, marks))) for _ in range(rng.randint(2, 24)))
    for _ in range(2000):
        yield rng.choice(["", " ", "  ", "\n"]).join(rng.choice(nasty) for _ in range(rng.randint(2, 6)))
    for _ in range(800):
        base = rng.choice(blocks)
        yield "".join(rng.choice(base) + "".join(rng.choice(marks) for _ in range(rng.randint(0, 3))) for _ in range(rng.randint(1, 8)))
    for _ in range(800):
        yield "".join(rng.choice(ascii_letters) for _ in range(rng.randint(1, 40)))
    for _ in range(600):
        text = rng.choice(ARTICLES)
        form = rng.choice(("NFC", "NFD", "NFKC", "NFKD"))
        start = rng.randrange(len(text))
        piece = unicodedata.normalize(form, text[start:start + rng.randint(3, 60)])
        yield rng.choice((str, str.upper, str.title, str.swapcase))(piece)


def long_texts(rng):
    letters = "abcdefghijklmnopqrstuvwxyz"
    yield {"text": "a", "repeat": 100000}
    yield {"text": "ha", "repeat": 50000}
    yield {"text": "!", "repeat": 100000}
    yield {"text": "the cat ", "repeat": 12500}
    yield {"text": " ", "repeat": 100000}
    yield {"text": "\u200b", "repeat": 30000}
    yield {"text": "&amp;", "repeat": 2000}
    yield {"text": "1", "repeat": 100000}
    yield {"text": "犬", "repeat": 30000}
    yield {"text": "e\u0301", "repeat": 20000}
    yield {"text": "😀", "repeat": 20000}
    yield {"text": "ﬃ", "repeat": 20000}
    yield {"text": "Σ", "repeat": 5000}
    yield {"text": "AΣ' ", "repeat": 300}
    yield {"text": "a\u0301\u0327\u0323", "repeat": 5000}
    yield {"text": "x\n", "repeat": 40000}
    for size in (200, 1000, 3000):
        yield {"text": "".join(rng.choice(letters) for _ in range(size))}
    for size in (37, 61, 90):
        yield {"text": "".join(rng.choice(letters) for _ in range(size)), "repeat": 120}
    # Around the place where a text is cut.
    for count in range(70, 82):
        yield {"text": "cat ", "repeat": count}
        yield {"text": "é! ", "repeat": count // 2}
    for text in ARTICLES:
        yield {"text": text + " ", "repeat": 3}


def cases():
    rng = random.Random(20240601)
    seen = set()
    singles = [""] + ARTICLES + EMOJI + CODE + SPECIALS + REFERENCES + CONTROLS
    singles += [template.replace("{}", word.replace("-", " ")) for word in WORDS for template in rng.sample(TEMPLATES, 6)]
    singles += [f"{a} {rng.choice(['', 'and ', '& ', 'with a '])}{b}" for a, b in (rng.sample(WORDS, 2) for _ in range(400))]
    names = [unicodedata.name(chr(c)) for c in rng.sample(range(0xA1, 0x1F000), 3000) if unicodedata.name(chr(c), "")]
    singles += [f"{name.title()} ({name.lower()})" for name in names[:600]]
    for text in [*singles, *mixtures(rng)]:
        if text not in seen:
            seen.add(text)
            yield {"text": text}
    yield from long_texts(rng)
    for text in BROKEN:
        yield {"latin1": text}
