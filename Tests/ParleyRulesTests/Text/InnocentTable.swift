/// Ordinary texts in 27 languages. None of the words of ``EvasionTable`` is found in them, nothing in them is invisible, and none has a link.
enum InnocentTable {
    static let texts: [(language: String, texts: [String])] = [
        (
            "English",
            [
                "I finished it.Now I go home", "done.Thanks a lot", "see report.final.pdf and node.js", "Mr.Smith is here", "@ann.lee are you there?",
                "It's 5:30 p.m. already.",
                "a b c are letters, x y z too", "I am a student", "Go 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}!", "snake_case and kebab-case",
                "v1.2.3 is out, 3.14 is pi", "class assume passage",
                "We met in the casing department", "The idiotic plan failed", "1,000 m in 3 min", "U.S.A. and e.g. this", "👩🏽‍❤️‍💋‍👨🏻 ❤️‍🔥 1️⃣ 🏳️‍🌈", "Is 4 > 3? Yes!",
                "README.md and main.py", "run install.sh, then lib.rs", "at 7.30.pm or 9.am", "notes.md, test2.rs, my-notes.md", "photos.zip and film.mov",
                "a b c d e f g h", "therapist, freemoneyless", "x f r e e m o n", "Did you read README.md?", "free beer for money people", "What is up — doc…",
            ]
        ),
        (
            "German",
            [
                "Schöne Grüße aus München!", "Das ist z.B. so, d.h. gut", "Die Straßenbahn fährt um 7.30 Uhr", "Er sagte: „Komm mal her.“",
                "Ich bin’s, dein Nachbar", "Masse und Maße sind nicht gleich", "3 x 4 = 12", "Ä Ö Ü sind Umlaute",
            ]
        ),
        (
            "French",
            [
                "L’été dernier, j’ai été à la plage.", "« Bonjour », dit-elle.", "Ça va ? Très bien !", "Rendez-vous à 14 h 30", "où, dès, cœur, naïve",
                "C'est-à-dire qu'il n'y a plus de café…",
            ]
        ),
        (
            "Spanish",
            [
                "¿Cómo estás? ¡Muy bien!", "El niño pequeño come una manzana", "Mañana por la mañana", "Mide 1,80 m y pesa 75 kg", "¡Qué ilusión verte!",
                "a la una y a las dos",
            ]
        ),
        ("Italian", ["Perché no? È così.", "La città è più bella di sera", "l’amico e l’amica", "Sono le 8.15", "Ma che dici!", "Un caffè e un cornetto"]),
        ("Portuguese", ["Não há pão, só maçã.", "Olá! Tudo bem?", "A reunião é às 10h", "coração, irmã, avô", "Até amanhã"]),
        ("Dutch", ["Zo'n mooie dag!", "’s Morgens om half negen", "IJsland is mooi", "Eén of twee?", "de fiets en de trein"]),
        ("Polish", ["Zażółć gęślą jaźń", "Dzień dobry! Jak się masz?", "Łódź jest w Polsce", "o 7:45 rano", "a i o u w z"]),
        ("Czech", ["Příliš žluťoučký kůň úpěl ďábelské ódy", "Dobrý den, jak se máte?", "v pátek a v sobotu", "k nám i s vámi"]),
        ("Swedish", ["Å, ä och ö är bokstäver", "Hur mår du? Bra, tack!", "i ån är ö", "klockan är halv åtta"]),
        ("Turkish", ["İyi akşamlar, nasılsınız?", "Işık ılık ve güzel", "İstanbul'da yağmur var", "Çok teşekkürler", "DİYARBAKIR ve ISPARTA"]),
        ("Finnish", ["Hyvää päivää!", "Äiti on töissä", "kello on viisi", "Mitä kuuluu?"]),
        ("Hungarian", ["Árvíztűrő tükörfúrógép", "Jó reggelt kívánok!", "Hány óra van?"]),
        ("Romanian", ["Bună ziua, ce mai faceți?", "țară și șarpe", "Mâine dimineață la ora 8"]),
        (
            "Russian",
            [
                "Привет, как дела?", "Съешь ещё этих мягких французских булок", "Он сказал: «Пойдём домой».", "а я и ты о том же", "с 5 до 7 и к 9",
                "рот, нос и ухо", "В 2024 г. было т.е. так", "Йод и ёлка", "казна и кино",
            ]
        ),
        ("Ukrainian", ["Доброго дня! Як справи?", "Її їжак з’їв яблуко", "ґанок і ґудзик", "о 8-й ранку", "і я, й ти"]),
        ("Greek", ["Καλημέρα, τι κάνεις;", "Ο Σίσυφος και η πέτρα", "Πόσο κάνει; 5 €", "ΑΘΗΝΑ 2024", "το 1ο και το 2ο"]),
        (
            "Arabic",
            ["السلام عليكم ورحمة الله", "العربية\u{200E} abc", "كيف حالك؟ بخير، شكرًا", "الساعة ١٢:٣٠", "قَرَأْتُ كِتَابًا", "مدرسة ومكتبة", "و هو في البيت"]
        ),
        ("Persian", ["سلام، حال شما چطور است؟", "می\u{200C}خواهم به خانه بروم", "کتاب\u{200C}ها روی میز هستند", "ساعت ۱۰ صبح"]),
        ("Hebrew", ["שלום\u{200F}!", "מה שלומך היום?", "שָׁלוֹם לְכֻלָּם", "בשעה 10:30", "\u{2067}עברית\u{2069} (abc)", "צ'יפס וג'ירפה"]),
        ("Hindi", ["नमस्ते, आप कैसे हैं?", "मैं घर जा रहा हूँ", "क्\u{200D}ष और त्र", "सुबह १० बजे", "मेरा नाम राम है।"]),
        ("Thai", ["สวัสดีครับ สบายดีไหม", "ไป กิน ข้าว กัน", "เวลา 10.30 น.", "ฉันชอบกินข้าวผัด", "พ่อ แม่ ลูก"]),
        ("Vietnamese", ["Xin chào, bạn có khỏe không?", "Tiếng Việt rất đẹp", "cờ đỏ sao vàng", "Hẹn gặp lại lúc 8 giờ", "bạc và vàng"]),
        ("Chinese", ["你好，最近怎么样？", "我 是 学生", "今天天气很好。", "网站上有很多书", "一二三四五", "好，走吧！"]),
        ("Japanese", ["こんにちは、お元気ですか？", "東京タワーに行きました。", "葛\u{E0100}城市", "か が き ぎ", "ハハハ、そうですね", "カメラとラジオ"]),
        ("Korean", ["안녕하세요, 잘 지내세요?", "그 때 그 집 앞", "오늘 날씨가 좋네요!", "나 는 너 를", "10시 30분에 만나요"]),
        ("Indonesian", ["Selamat pagi, apa kabar?", "Anak-anak bermain di taman", "jam 8 malam", "ke mana saja?"]),
        (
            "many languages",
            [
                "lot to carry, lots of cocoa in here", "I have a lot to tell", "Free Bits: coin collecting", "f r e e time", "a p p l e", "E N D",
                "B O T H sides", "README.md", "setup.py", "main.rs, lib.rs", "v2.0.md?", "the U.S.A. is big", "P.S. see you", "3 p.m. or 4.30.pm",
                "Kokain ist verboten? Nein: Kakao", "Die Lotte fährt Rad", "Ich habe 2 Kaffee + 1 Tee = 8 €", "„Gänsefüßchen“ und ‚halbe‘",
                "Ça coûte 3,50 € à l’entrée", "Où est-ce que tu vas ? À l’école", "¿Qué hora es? Son las 8.30.", "El loto es una flor",
                "La lotta continua", "perché no, c’è il sole", "Não é só isso, irmão", "Ik ga naar Lotte toe", "Zażółć gęślą jaźń!",
                "co kain w biblii", "Dobrý večer, hra začíná", "hazard a hry patří jinam", "Hej, hur är läget? Bra!", "Günaydın, nasılsın?",
                "uyuyordum, uyandım", "Привет! Нарком и кот — разные слова", "нар кот и кит", "с утра и до 9", "Я и ты", "Доброго ранку, як ти?",
                "Καλημέρα σας! Το κακάο είναι ζεστό", "κόκκινο και καινούργιο",
                "\u{627}\u{644}\u{633}\u{644}\u{627}\u{645} \u{639}\u{644}\u{64A}\u{643}\u{645}",
                "\u{627}\u{644}\u{642}\u{645}\u{631} \u{62C}\u{645}\u{64A}\u{644} \u{627}\u{644}\u{644}\u{64A}\u{644}\u{629}",
                "\u{642}\u{645}\u{631}", "\u{648} \u{623}\u{646}\u{627} \u{623}\u{64A}\u{636}\u{627}",
                "\u{633}\u{644}\u{627}\u{645} \u{62F}\u{648}\u{633}\u{62A}\u{627}\u{646}، \u{62E}\u{648}\u{628}\u{6CC}\u{62F}\u{61F}",
                "\u{645}\u{6CC}\u{200C}\u{631}\u{648}\u{645}", "\u{5E9}\u{5DC}\u{5D5}\u{5DD} \u{5DC}\u{5DB}\u{5D5}\u{5DC}\u{5DD}",
                "\u{5D4}\u{5D9}\u{5DD} \u{5DB}\u{5D7}\u{5D5}\u{5DC}", "नमस\u{94D}त\u{947} दोस\u{94D}तो\u{902}", "ज\u{941}लाई और अगस\u{94D}त",
                "สว\u{E31}สด\u{E35}ตอนเช\u{E49}า", "การบ\u{E49}าน", "Xin chào các bạn", "độ cao của núi", "今天去 公园 吧", "场 地 很大", "日本語 を 勉強 し ます",
                "バイ バイ、また ね", "안녕 하세요", "박 씨와 도 씨", "도서관에서 박수", "Selamat siang semua", "Hyvää huomenta kaikille", "Jó napot, hogy vagy?",
                "Bună dimineața", "👍🏽👩\u{200D}👩\u{200D}👧 ok", "1\u{FE0F}\u{20E3} 2\u{FE0F}\u{20E3} 3\u{FE0F}\u{20E3}", "call me at 555-1234",
                "x=1; y=2; z=3", "O(n log n)", "A-B-C test", "¯\\_(ツ)_/¯", "(｡◕‿◕｡)", "٣ \u{62A}\u{641}\u{627}\u{62D}\u{627}\u{62A}", "１２３",
            ]
        ),
    ]
}
