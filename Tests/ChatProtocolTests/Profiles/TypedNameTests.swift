import ChatProtocol
import TestSupport
import Testing

/// Names as people type them in messages.
@Suite struct TypedNameTests {
    @Test(arguments: [
        ("bob", "bob"), ("Bob Baker", "'Bob Baker'"), ("bob.", "'bob.'"), ("b.ob", "b.ob"), ("bob!?", "'bob!?'"), ("o-neil", "o-neil"), ("bob-", "'bob-'"),
        ("$", "$"), ("bob (work)", "'bob (work)'"), ("bob)", "'bob)'"), ("b,c", "b,c"), ("漢字", "漢字"), ("a\u{A0}b", "'a\u{A0}b'"), ("é.", "'é.'"), ("🚀", "🚀"),
        ("", ""),
    ]) func aNameWithSpacesOrPunctuationAtItsEndIsQuoted(name: String, quoted: String) { #expect(DisplayName.quoted(name) == quoted) }

    private static let alphabet = Array("aB9é漢$+🚀 .,-_()!?:/&*~`\"<>[]{}^|%=;".unicodeScalars)

    private static func name(_ random: inout SplitMix64) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 1...12, using: &random) { text.append(alphabet.randomElement(using: &random) ?? "a") }
        return DisplayName.valid(String(text))
    }

    /// Whatever a valid name is made of, a mention of it is found, wherever it stands.
    @Test(arguments: [1, 2, 3] as [UInt64]) func everyValidNameCanBeMentioned(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let name = Self.name(&random)
            guard !name.isEmpty else { continue }
            for text in ["@\(DisplayName.quoted(name))", "hello @\(DisplayName.quoted(name)) and more", "@\(DisplayName.quoted(name)), hi\nthere"] {
                let pieces = Markdown.parse(text) ?? []
                if Markdown.mentionedNames(in: pieces) != [name] { Issue.record("seed \(seed): \(text) mentions \(Markdown.mentionedNames(in: pieces))") }
                #expect(pieces.map(\.text).joined() == text)
            }
        }
    }

    @Test(arguments: [
        "@", "@ bob", "@#bob", "@@bob", "@''", "@'bob", "@'#bob'", "a@bob", "x*@bob*",
    ]) func whatIsNoMentionMentionsNobody(text: String) {
        #expect(Markdown.mentionedNames(in: Markdown.parse(text) ?? []).isEmpty)
    }

    /// Each rule for names, with what is made of a name that breaks it.
    @Test(arguments: [
        ("#bob", "bob"), ("@bob", "bob"), (" bob", "bob"), ("-bob", "bob"), ("'bob'", "bob"), ("bob  b", "bob b"), ("bob\tb", "bob b"), ("bob ", "bob"),
        ("b....b", "b...b"),
        ("b. .b", "b. b"), ("b - b", "b - b"), ("b--- -b", "b--- b"), ("b\u{200B}b", "bb"), ("b\u{0}b", "bb"), ("b\u{E000}b", "bb"), ("\u{301}b", "b"),
        ("b\u{301}", "b\u{301}"),
        ("b \u{301}", "b"), ("b.\u{301}", "b."), ("b\u{301}\u{302}", "b\u{301}\u{302}"), ("$#@", "$#@"), ("9", "9"), ("\u{202E}bob", "bob"),
        ("b\u{2028}b", "bb"),
    ]) func aNameIsMadeValid(name: String, valid: String) {
        #expect(Array(DisplayName.valid(name).unicodeScalars) == Array(valid.unicodeScalars))
        #expect(DisplayName.isValid(name) == (Array(name.unicodeScalars) == Array(valid.unicodeScalars)))
    }

    @Test func aNameHasAtMostFiftyScalars() {
        let longest = String(repeating: "é", count: 50)
        #expect(DisplayName.isValid(longest) && !DisplayName.isValid(longest + "a"))
        #expect(DisplayName.valid(longest + "abc") == longest)
        // A space at the fiftieth place is cut off, and what follows does not move up.
        #expect(DisplayName.valid(String(repeating: "a", count: 49) + " b") == String(repeating: "a", count: 49))
        // What is left out does not count.
        #expect(DisplayName.valid(String(repeating: "'", count: 1_000) + longest) == longest)
    }
}
