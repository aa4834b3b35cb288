import ChatProtocol
import Foundation
import Parley
import ParleyRules
import Testing

/// The checks of a condition, each with texts that it holds for and texts that it does not hold for.
@Suite struct RuleCheckTests {
    /// Checks whether a rule with the condition applies to a text.
    private func holds(_ when: String, _ text: String, lists: String = "", _ change: (inout RuleInput) -> Void = { _ in }) throws -> Bool {
        let file = try BotsFile(
            parsing: "parley: 1\n\(lists)\nprofiles:\n  bot:\n    rules:\n      - { id: r, when: { \(when) }, then: { send: x } }\n")
        var input = RuleInput(event: .message, kind: .text, text: text)
        change(&input)
        return try !RuleSet(#require(file.profiles.first).rules, lists: file.lists).decide(input).isEmpty
    }

    @Test func wordsAreWholeWordsAndPhrases() throws {
        let when = "words: [ass, \"free  money\", \"crypto*\", \"*coin*\", \"$$$\"]"
        for text in ["You ASS!", "(ass)", "get Free money now", "free\n money", "cryptography", "bitcoins", "win $$$ now", "ass"] {
            #expect(try holds(when, text), "\(text)")
        }
        for text in ["class", "assume", "free the money", "xcrypto", "co in", "$$", "", "passé"] {
            #expect(try !holds(when, text), "\(text)")
        }
    }

    @Test func wordsOfAListAreFoundBehindLookalikes() throws {
        let lists = "lists: { scam: { words: [casino, bill, \"free money\", book, \"419\", viagra], normalize: all } }"
        let when = "words: { list: scam }"
        for text in [
            "CASINO", "cásíno", "саѕіnо", "𝐜𝐚𝐬𝐢𝐧𝐨", "ⓒⓐⓢⓘⓝⓞ", "c4$1n0", "caaaasinooo", "c a s i n o", "C.A.S.I.N.O!", "c-a-s-i-n-o", "b1ll", "bi11", "boooook",
            "ca\u{200B}sino", "freeeee   m0ney", "call 419", "VIÁGRA",
        ] { #expect(try holds(when, text, lists: lists), "\(text)") }
        for text in ["bok", "I sat in a casing", "1000 m", "a b", "bail", "419000", "no free lunch, money", "i a m o k"] {
            #expect(try !holds(when, text, lists: lists), "\(text)")
        }
    }

    @Test func eachNormalizationIsForItself() throws {
        for (names, text, other) in [
            ("case", "CASINO", "cásino"), ("marks", "cásino", "CASINO"), ("lookalikes", "саsinо", "CASINO"), ("repeats", "caaasino", "CASINO"),
            ("spaces", "c a s i n o", "CASINO"),
        ] {
            let when = "words: { of: casino, normalize: \(names) }"
            #expect(try holds(when, text), "\(names)")
            #expect(try !holds(when, other), "\(names)")
        }
    }

    @Test func domainsAreThoseOfLinksWithTheOnesBelowThem() throws {
        let when = "domains: [Example.com, bad.example]"
        for text in [
            "see https://example.com/x", "http://www.EXAMPLE.com", "example.com", "(sub.example.com)", "https://good.org@bad.example/",
            "https://bad.example:8443",
            "[good.org](https://bad.example)", "https://example.com.", "write to me@bad.example",
        ] { #expect(try holds(when, text), "\(text)") }
        for text in ["https://notexample.com", "https://example.com.evil.org", "example", "https://good.org/example.com", "the end.Next"] {
            #expect(try !holds(when, text), "\(text)")
        }
    }

    @Test func linksToOtherDomainsAreFoundBesidesAllowedOnes() throws {
        let lists = "lists: { ours: { domains: [simplex.chat] } }"
        let when = "domains: { list: ours, of: github.com, outside: true }"
        #expect(try holds(when, "https://simplex.chat and https://evil.org", lists: lists))
        #expect(try !holds(when, "https://simplex.chat and https://docs.github.com/x", lists: lists))
        #expect(try !holds(when, "no link", lists: lists))
    }

    @Test func linksAreToldApart() throws {
        let simplex = "https://smp8.simplex.im/a#lXUjJW5vHYQzoLYgmi8GbxkGP41_kjefFvBrdwg-0Ok"
        #expect(try holds("link: simplex", "join \(simplex) now"))
        #expect(try holds("link: true", "simplex:/a#lXUjJW5vHYQzoLYgmi8GbxkGP41_kjefFvBrdwg-0Ok?h=smp8.simplex.im"))
        #expect(try holds("link: true", "x https://a.org"))
        #expect(try holds("link: web", "a.org"))
        #expect(try !holds("link: simplex", "https://a.org/#x"))
        #expect(try holds("link: false", "nothing here. Really"))
        #expect(try !holds("link: true", "3.5 e.g. v1.2 a..b ."))
    }

    @Test func measuresAreCompared() throws {
        #expect(try holds("length: \"> 3\"", "four"))
        #expect(try !holds("length: \"> 4\"", "four"))
        #expect(try holds("length: \"= 1\"", "👩‍👩‍👧"))
        #expect(try holds("word-count: \">= 3\"", " one  two\nthree "))
        #expect(try holds("lines: \"2..3\"", "a\nb\nc"))
        #expect(try !holds("lines: \"2..3\"", "a\nb\nc\nd"))
        #expect(try holds("lines: { count: \"> 2\", width: 10 }", String(repeating: "x", count: 21)))
        #expect(try holds("capitals: \"> 70%\"", "HELLO EVERYone"))
        #expect(try !holds("capitals: \"> 70%\"", "Hello everyone"))
        #expect(try holds("emoji: \"> 2\"", "🎉 yes 👩‍👩‍👧 ❤️"))
        #expect(try !holds("emoji: \"> 0\"", "1 # * ©"))
        #expect(try holds("mentions: \"> 5\", chat: group", "x") { ($0.mentions, $0.chat) = (6, .groups) })
        #expect(try holds("repeated: { times: 4, length: 2 }", "hahahaha"))
        #expect(try !holds("repeated: { times: 4, length: 3 }", "hahahaha"))
        #expect(try holds("repeated: 5", "noooooo"))
        #expect(try !holds("repeated: 5", "no      ooo"))
        #expect(try holds("blank: true", " \u{200B}\n\u{3164}"))
        #expect(try !holds("blank: true", "."))
        #expect(try holds("invisible: true", "ca\u{200B}sino"))
        #expect(try !holds("invisible: true", "👩‍👩‍👧 می‌خواهم"))
    }

    @Test func theWriterIsLookedAt() throws {
        func input(_ change: @escaping (inout RuleInput) -> Void) -> (inout RuleInput) -> Void {
            { input in
                input.chat = .groups
                change(&input)
            }
        }
        #expect(try holds("name: \"(?i)admin\", chat: group", "x", input { $0.displayName = "The Admin" }))
        #expect(try !holds("name: \"(?i)admin\", chat: group", "x", input { $0.displayName = "Ann" }))
        #expect(try holds("bot: true, chat: group", "x", input { $0.isFromBot = true }))
        #expect(try holds("member-age: \"< 24h\"", "x", input { $0.memberAge = 3_600 }))
        #expect(try !holds("member-age: \"< 24h\"", "x", input { $0.memberAge = 86_400 }))
        #expect(try holds("group: [Lobby, Hall]", "x", input { $0.groupNames = ["Hall", "Hall_1"] }))
        #expect(try holds("forwarded: true", "x") { $0.isForwarded = true })
        // Comments are in channels, without "chat" being said.
        #expect(try holds("comment: true", "x", input { $0.isComment = true }))
        #expect(try !holds("comment: true", "x", input { $0.isComment = false }))
        #expect(try holds("comment: false", "x", input { $0.isComment = false }))
        #expect(try holds("hours: \"22:00-06:00\"", "x") { $0.minuteOfDay = 5 * 60 + 59 })
        #expect(try !holds("hours: \"22:00-06:00\"", "x") { $0.minuteOfDay = 6 * 60 })
    }

    @Test func severalKindsOfMessagesCanBeNamed() throws {
        #expect(try holds("message: [image, video]", "") { $0.kind = .video })
        #expect(try !holds("message: [image, video]", "") { $0.kind = .voice })
        #expect(try holds("message: [image, any]", "") { $0.kind = .voice })
    }

    @Test func treesOfChecksAreEvaluated() throws {
        let when = "any: [ { contains: sell, link: true }, { all: [ { contains: free }, { not: { contains: [beer, speech] } } ] } ]"
        for (text, expected) in [
            ("I sell https://x.org", true), ("I sell", false), ("free money", true), ("free beer", false), ("free beer, I sell x.org", true),
        ] { #expect(try holds(when, text) == expected, "\(text)") }
    }

    @Test func whatIsNotKnownNeverMakesARuleApply() throws {
        let unknownAge: (inout RuleInput) -> Void = { $0.chat = .groups }
        #expect(try !holds("member-age: \"< 24h\"", "x", unknownAge))
        #expect(try !holds("not: { member-age: \"< 24h\" }", "x", unknownAge))
        #expect(try !holds("all: [ { contains: x }, { not: { member-age: \"< 24h\" } } ]", "x", unknownAge))
        #expect(try holds("any: [ { contains: x }, { member-age: \"< 24h\" } ]", "x", unknownAge))
        // A picture without a caption has no text that could be short, and eight letters are needed to tell capitals.
        #expect(try !holds("length: \"< 5\"", "") { $0.kind = .image })
        #expect(try !holds("not: { length: \"> 5\" }", "") { $0.kind = .image })
        #expect(try !holds("capitals: \"> 50%\"", "OK"))
        #expect(try !holds("not: { capitals: \"> 50%\" }", "OK"))
    }

    @Test(arguments: [
        ("length: 5", "comparison"), ("length: \"> -1\"", "comparison"), ("length: \"9..3\"", "smaller number first"), ("length: \"< 0\"", "below 0"),
        ("length: \"> 5%\"", "comparison"), ("capitals: \"> 101%\"", "70%"), ("member-age: \"< 3 days\"", "units"), ("hours: \"22-6\"", "22:00-06:00"),
        ("hours: \"24:00-06:00\"", "22:00"), ("repeated: 1", "from 2"), ("repeated: { times: 3, lenght: 2 }", "length"), ("link: maybe", "simplex"),
        ("words: { list: scam }", "no list \"scam\""), ("words: { of: x, lists: y }", "list"), ("words: []", "empty"), ("words: \"**\"", "no letters"),
        ("words: { normalize: case }", "no words"), ("words: { of: x, normalize: [cases] }", "case"), ("domains: \"not a domain\"", "not a domain"),
        ("any: []", "empty"), ("any: [ {} ]", "says nothing"), ("not: { connected: true }", "no key"), ("not: { chat: group }", "no key"),
        ("connected: true, not: { contains: x }", "has none"), ("request: true, bot: true", "not written"), ("deleted: true, name: x", "not written"),
        ("mentions: \"> 3\", chat: contact", "chats with contacts"), ("edited: true, file: any", "is not a message"),
        ("name: \"(?=x)\"", "look-around"), ("message: [text, picture]", "picture"),
    ])
    func aMistakeIsAnsweredWithItsPlaceAndAHint(_ when: String, _ words: String) throws {
        let error = #expect(throws: BotsFileError.self) { _ = try holds(when, "x") }
        let fault = try #require(error?.diagnostics.first)
        #expect(fault.position.line == 6)
        #expect((fault.message + (fault.hint ?? "")).contains(words), "\(fault)")
    }

    @Test func treesAreBounded() throws {
        let deep = String(repeating: "not: { ", count: 8) + "link: true" + String(repeating: " }", count: 8)
        #expect(throws: BotsFileError.self) { _ = try holds(deep, "x") }
        _ = try holds(String(repeating: "not: { ", count: 7) + "link: true" + String(repeating: " }", count: 7), "x")
        let wide = "any: [" + Array(repeating: "{ contains: x }", count: 70).joined(separator: ",") + "]"
        let error = #expect(throws: BotsFileError.self) { _ = try holds(wide, "x") }
        #expect(error?.diagnostics.map(\.code) == [.tooLarge])
    }

    @Test func aListIsReadFromAFileBesideTheRules() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("parley-lists-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ name: String, _ data: Data) throws { try data.write(to: folder.appendingPathComponent(name)) }
        let path = folder.appendingPathComponent("bots.yaml").path
        try write(
            "bots.yaml",
            Data(
                """
                parley: 1
                lists:
                  scam: { file: scam.txt, words: poker }
                  bad: { file: bad.txt, kind: domains }
                profiles:
                  bot:
                    rules:
                      - { id: words, when: { words: { list: scam } }, then: { send: x } }
                      - { id: domains, when: { domains: { list: bad } }, then: { send: x } }

                """.utf8))
        try write("scam.txt", Data("# words\r\n\r\ncasino\r\n  free money  \n".utf8))
        try write("bad.txt", Data("https://Bad.example/\n*.evil.org\n".utf8))
        let file = try BotsFile(contentsOf: path)
        #expect(file.listFiles.map { $0.split(separator: "/").last } == ["scam.txt", "bad.txt"])
        let rules = try RuleSet(try #require(file.profiles.first).rules, lists: file.lists)
        for (text, expected) in [
            ("Casino!", "words"), ("free money", "words"), ("poker", "words"), ("a.bad.example", "domains"), ("evil.org", "domains"), ("else", nil),
        ] as [(String, String?)] {
            #expect(rules.decide(RuleInput(event: .message, kind: .text, text: text)).first?.rule.id == expected, "\(text)")
        }
        #expect(file.warnings.diagnostics.isEmpty)
        try write("scam.txt", Data("casino # gambling\n\"poker\"\n“bet”\nC# code\nrock 'n' roll\n".utf8))
        let warned = try BotsFile(contentsOf: path).warnings.diagnostics
        #expect(warned.map(\.code) == [.listEntry, .listEntry, .listEntry])
        #expect(zip(warned, 1...).allSatisfy { $0.message.contains("scam.txt:\($1):") })
        try write("bad.txt", Data("good.org\nnot a domain\n".utf8))
        let error = #expect(throws: BotsFileError.self) { _ = try BotsFile(contentsOf: path) }
        #expect(error?.description.contains("bad.txt:2:") == true)
        #expect(error?.diagnostics.first?.position.line == 4)
        for data in [Data([0xff]), Data(count: ListSpec.maximumFileSize + 1)] {
            try write("bad.txt", data)
            #expect(throws: BotsFileError.self) { _ = try BotsFile(contentsOf: path) }
        }
        try FileManager.default.removeItem(at: folder.appendingPathComponent("bad.txt"))
        #expect(mkfifo(folder.appendingPathComponent("bad.txt").path, 0o600) == 0)
        #expect(throws: BotsFileError.self) { _ = try BotsFile(contentsOf: path) }
    }
}
