import Testing

@testable import UnicodeText

/// Texts as they are compared.
@Suite struct FoldingTests {
    @Test(arguments: [
        ("iyi", "İYİ"), ("istanbul", "İstanbul"), ("iptal", "İptal"), ("straße", "STRASSE"), ("straße", "Straẞe"), ("Σίσυφος", "ΣΊΣΥΦΟΣ"), ("ılık", "ILIK"),
        ("café", "CAFE\u{301}"), ("größe", "GRO\u{308}SSE"), ("학점", "\u{1112}\u{1161}\u{11A8}\u{110C}\u{1165}\u{11B7}"), ("don't", "Don’t"), ("a-b", "A–b"),
        ("wait...", "Wait…"), ("\"x\"", "“X”"), ("❤", "❤️"), ("casino", "ca\u{200B}si\u{AD}no"), ("ﬁn", "FIN"), ("ΐ", "Ϊ\u{301}"), ("привет", "ПРИВЕТ"),
        ("casino", "ca\u{FFF9}s\u{1}i\u{7F}n\u{90}o"), ("ა", "Ა"), ("å", "\u{212B}"), ("Ꮳ", "ꮳ"), ("«x»", "\"x\""), ("i\u{307}", "İ"), ("/x", "／X"),
    ])
    func textsThatPeopleReadAlikeAreTheSame(_ one: String, _ other: String) {
        #expect(one.folded == other.folded, "\(one.folded) \(other.folded)")
        #expect(one.isSame(as: other))
    }

    @Test(arguments: [("cafe", "café"), ("a", "а"), ("e", "3"), ("x", "y"), ("masse", "maße "), ("가", "나"), ("か", "が"), ("и", "й"), ("a b", "ab")])
    func textsThatDifferAreNotTheSame(_ one: String, _ other: String) { #expect(!one.isSame(as: other)) }

    @Test func aFoldedTextStaysAsItIs() {
        for value in (UInt32(0x20)...0x2FFFF).lazy.filter({ $0 < 0x3400 || $0 > 0xA000 }) {
            guard let scalar = Unicode.Scalar(value), value < 0x20000 else { continue }
            let folded = String(scalar).folded
            #expect(folded.folded == folded, "U+\(String(value, radix: 16))")
        }
    }

    @Test func aCapitalAndItsSmallLetterAreTheSame() {
        for value in UInt32(0x20)...0x1FFFF {
            guard let scalar = Unicode.Scalar(value), scalar.properties.changesWhenCaseMapped else { continue }
            let text = String(scalar)
            #expect(text.folded == scalar.properties.lowercaseMapping.folded, "U+\(String(value, radix: 16)) and its small letter")
            #expect(text.folded == scalar.properties.uppercaseMapping.folded, "U+\(String(value, radix: 16)) and its capital")
        }
    }
}

/// Characters that nobody sees, and lengths as people see them.
@Suite struct HiddenCharacterTests {
    @Test(arguments: [
        "ca\u{200B}sino", "a\u{1D173}b", "a\u{FFF9}b", "a\u{E0100}", "a\u{E0041}b", "🏴\u{E0041}", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}",
        "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E0067}\u{E0067}\u{E007F}", "a\u{200D}b", "a\u{200E}b", "hello\u{200F}", "שלום\u{202E}!",
        "ab\u{200F}cd שלום",
        "\u{2060}x", "x\u{3164}", "x\u{7}y", "❤\u{FE0F}\u{FE0F}", "x\u{FE0F}", "ö\u{200D}", "x\u{2800}", "字\u{E0100}\u{E0100}", "\u{FEFF}x", "soft\u{AD}hyphen",
    ])
    func hiddenCharactersAreFound(_ text: String) { #expect(HiddenCharacters.isContained(in: text)) }

    @Test(arguments: [
        "Go 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}!", "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
        "🏴\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}🏴\u{E0075}\u{E0073}\u{E0074}\u{E0078}\u{E007F}", "שלום\u{200F}!", "שלום!\u{200F}",
        "العربية\u{200E} abc",
        "\u{2067}עברית\u{2069} (abc)", "👩‍👩‍👧", "❤️‍🔥", "🏳️‍🌈", "می‌خواهم", "क्‍ष", "1️⃣", "©️", "葛\u{E0100}", "plain text\twith\nlines", "", "👩🏽‍❤️‍💋‍👨🏻", "ශ්‍රී ලංකා",
    ])
    func whatScriptsAndEmojiNeedIsNotHidden(_ text: String) { #expect(!HiddenCharacters.isContained(in: text)) }

    @Test(arguments: ["", " \n", "\u{200B}", "\u{FE0F}", "\u{E0100}", "\u{301}", "\u{1D173}", "\u{3164}", "\u{2800}\u{A0}", "\u{FFF9}", " \u{34F}\u{301} "])
    func nothingOfABlankTextIsSeen(_ text: String) { #expect(HiddenCharacters.isBlank(text)) }

    @Test(arguments: [".", "a\u{200B}", "\u{200B}é", "❤️", "字", "\u{640}"]) func aTextWithASignIsNotBlank(_ text: String) {
        #expect(!HiddenCharacters.isBlank(text))
    }

    @Test(
        arguments: [
            ("", 0), ("four", 4), ("👩‍👩‍👧", 1), ("👩🏽‍❤️‍💋‍👨🏻", 1), ("🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", 1), ("e\u{301}", 1), ("ệ", 1), ("บ้าน", 3),
            ("שָׁלוֹם", 4),
            ("\r\n", 1), ("Z" + String(repeating: "\u{351}", count: 3_000), 2_997), ("👨" + String(repeating: "\u{200D}👩", count: 100), 186),
        ] as [(String, Int)])
    func whatIsHeapedOnACharacterCounts(_ text: String, _ count: Int) { #expect(TextLength.characters(text) == count) }

    @Test(arguments: [("plain", 0), ("é", 0), ("e\u{301}", 1), ("Z\u{351}\u{352}\u{353}\u{354} x\u{351}", 4), ("❤️", 0), ("ệ\u{300}", 1)] as [(String, Int)])
    func marksOnALetterAreCounted(_ text: String, _ count: Int) { #expect(TextLength.mostMarks(text) == count) }
}

/// Texts as lists look for words in them.
@Suite struct WordFormTests {
    @Test(
        "a character that shows nothing hides no word",
        arguments: [
            "\u{1}", "\u{8}", "\u{1B}", "\u{7F}", "\u{80}", "\u{9F}", "\u{AD}", "\u{200B}", "\u{2060}", "\u{FEFF}", "\u{FFF9}", "\u{FFFB}", "\u{1D173}",
            "\u{E0041}",
        ])
    func hiding(_ character: String) {
        for normalization in [TextNormalization.letterCase, [.letterCase, .whitespace], [.letterCase, .marks], .all] {
            for letters in ["casino", "カジノ"] {
                let text = letters.map(String.init).joined(separator: character)
                let forms = normalization.forms(of: text).map { String(decoding: $0.bytes, as: UTF8.self) }
                let entry = String(decoding: normalization.form(ofEntry: letters).bytes, as: UTF8.self)
                #expect(forms.contains(entry), "\(forms)")
            }
        }
    }
}
