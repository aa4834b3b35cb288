import Foundation
import Parley
import ParleyRules
import Testing

/// Files that are broken or made to break the reader: each is answered with a place, in good time, and nothing ends the process.
@Suite(.timeLimit(.minutes(5))) struct HostileFileTests {
    private static let sound = """
        parley: 1
        profiles:
          echo:
            name: "Echo — ü"
            address: { accept: manual, welcome: 'Hello' }
            rules:
              - id: order
                when: { pattern: "order (?P<number>[0-9]+)" }
                then: [ { react: 👍 }, { reply: "{{ match.number }}" } ]
              - when: { message: text }
                then: { reply: "{{ text }}" }

        """

    @Test func aFileThatIsCutOffAnywhereIsReadOrAnsweredWithAPlace() throws {
        let bytes = Array(Self.sound.utf8)
        #expect(throws: Never.self) { try BotsFile(parsing: bytes) }
        var refused = 0
        for length in bytes.indices {
            guard let error = fault(in: Array(bytes[..<length])) else { continue }
            refused += 1
            try expectPlaces(in: error, lines: Self.sound)
        }
        #expect(refused > bytes.count / 2)
    }

    @Test func aFileWithAWrongByteAnywhereIsReadOrAnsweredWithAPlace() throws {
        let bytes = Array(Self.sound.utf8)
        for index in bytes.indices {
            for wrong: UInt8 in [0x00, 0x09, 0x0a, 0x7f, 0x80, 0xc3, 0xff, UInt8(ascii: "*"), UInt8(ascii: "["), UInt8(ascii: "\"")] {
                var changed = bytes
                changed[index] = wrong
                if let error = fault(in: changed) { try expectPlaces(in: error, lines: nil) }
            }
        }
    }

    @Test(
        arguments: [
            (Array("parley: 1\nprofiles:\n  a\u{e4}".utf8) + [0xff, 0x0a], 3, 5),
            ([0xff, 0xfe, 0x70, 0x00], 1, 1),
            (Array("parley: 1\n".utf8) + [0xe2, 0x82], 2, 1),
            (Array("# ".utf8) + [0xc0, 0xaf], 1, 3),
            (Array("# ".utf8) + [0xed, 0xa0, 0x80], 1, 3),
        ] as [([UInt8], Int, Int)])
    func whatIsNotUTF8IsAnsweredWithItsPlace(_ bytes: [UInt8], _ line: Int, _ column: Int) throws {
        let error = try #require(fault(in: bytes))
        #expect(error.diagnostics.map(\.code) == [.unreadable])
        #expect(error.diagnostics.first?.position == SourcePosition(line: line, column: column))
    }

    @Test func aCharacterThatYAMLDoesNotHaveIsAnsweredWithItsPlace() throws {
        let error = try #require(fault(in: Array("parley: 1\nprofiles: { a: { name: \"x\u{1}\" } }".utf8)))
        #expect(error.diagnostics.map(\.code) == [.syntax])
        #expect(error.diagnostics.first?.position == SourcePosition(line: 2, column: 26))
    }

    @Test func aFileThatIsTooLargeIsNotRead() throws {
        let error = try #require(fault(in: Array(repeating: UInt8(ascii: "#"), count: BotsFile.maximumSize + 1)))
        #expect(error.diagnostics.map(\.code) == [.tooLarge])
        #expect(throws: BotsFileError.self) { try BotsFile(contentsOf: "/dev/zero") }
        #expect(throws: BotsFileError.self) { try BotsFile(contentsOf: "/") }
        #expect(throws: BotsFileError.self) { try BotsFile(contentsOf: "/nowhere/bots.yaml") }
    }

    @Test(arguments: ["[", "{ a: ", "- ", "? ", "a: {", "&a [", "!t [", "[[{x: ", "*a ", "\"", "|\n", "<<: ", "%YAML 1.1\n---\n"])
    func nestingWithoutEndIsRefused(_ opening: String) throws {
        for count in [10, 900, 5_000, 100_000] {
            let text = "parley: 1\nprofiles: " + String(repeating: opening, count: min(count, 900_000 / opening.utf8.count))
            let error = try #require(fault(in: Array(text.utf8)))
            try expectPlaces(in: error, lines: nil)
        }
    }

    @Test func deepBlocksAreRefused() throws {
        var text = "parley: 1\nprofiles:\n"
        for depth in 1...900 { text += String(repeating: " ", count: depth) + "a:\n" }
        #expect(fault(in: Array(text.utf8)) != nil)
    }

    /// What each key of ten aliases of ten aliases … is made of, 10¹² values in the end.
    private static let bomb: String = {
        var text = "parley: 1\nx0: &a0 [1,1,1,1,1,1,1,1,1,1]\n"
        for level in 1..<12 { text += "x\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ","))]\n" }
        return text
    }()

    @Test(arguments: [
        "profiles: { a: { rules: *a11 } }", "profiles: *a11", "profiles: { a: *a11, b: *a11 }", "profiles: { a: { bio: *a11 } }",
        "profiles: { a: { rules: [ { when: { text: *a11 }, then: *a11 } ] } }",
        // As keys, which are compared with each other while the file is read.
        "profiles: { ? *a11 : b }", "? *a11\n: b", "? [ *a11 ]\n: b", "[*a11]: b", "{ x: *a11 } : b", "*a11 : b", "y: { [ *a11 ]: b, [ *a11 ]: c }",
        "profiles: [ ? *a11 : b ]", "profiles: [ *a11 : b ]", "- ? *a11\n  : b", "profiles:\n  ? *a11\n  : b\n  ? *a11\n  : c",
        "profiles: { a: { <<: *a11 } }", "<<: [*a11, *a11]",
    ])
    func aliasesDoNotUnfoldWithoutEnd(_ use: String) throws {
        let error = try #require(fault(in: Array((Self.bomb + use + "\n").utf8)))
        try expectPlaces(in: error, lines: nil)
        #expect(error.description.utf8.count < 100_000)
    }

    @Test func anAliasForAPartThatProfilesShareIsFine() throws {
        let file = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  one: { rules: &greeting [ { when: { text: hi }, then: { reply: "Hello? *there* & [here]" } } ] }
                  two: { rules: *greeting }
                """)
        #expect(file.profiles.map(\.rules.count) == [1, 1])
    }

    @Test func theSameKeyTwiceIsRefusedAtEveryLevel() throws {
        for (text, line) in [
            ("parley: 1\nparley: 1\nprofiles: { a: {} }", 1), ("parley: 1\nprofiles:\n  a: {}\n  b: {}\n  a: {}", 3),
            ("parley: 1\nprofiles: { a: { name: x, bio: y, name: z } }", 2),
            ("parley: 1\nprofiles: { a: { rules: [ { when: { text: a, \"text\": b }, then: { reply: c } } ] } }", 2),
        ] {
            let error = try #require(fault(in: Array(text.utf8)))
            #expect(error.diagnostics.map(\.code) == [.duplicateKey], "\(error)")
            #expect(error.diagnostics.first?.position.line == line, "\(error)")
        }
    }

    @Test(arguments: [
        "((((((((((a{1,1000}){1,1000}){1,1000}", "(a*)*b{1000}{1000}", "\\p{L}{1000}\\p{L}{1000}", "(?=a)", "(a)\\1", "a{1001}", "[[:foo:]]", "(?<n>a", "\\",
        "(?P<n", String(repeating: "(", count: 512), String(repeating: "a", count: 513), "(\\pL{100}){100}",
    ])
    func aPatternThatCostsTooMuchOrIsNoneIsRefusedAtItsPlace(_ pattern: String) throws {
        let quoted = pattern.replacingOccurrences(of: "\\", with: "\\\\")
        let text = "parley: 1\nprofiles:\n  a:\n    rules:\n      - when: { pattern: \"\(quoted)\" }\n        then: { reply: x }\n"
        let error = try #require(fault(in: Array(text.utf8)))
        #expect(error.diagnostics.map(\.code) == [.badPattern], "\(error)")
        #expect(error.diagnostics.first?.position.line == 5)
    }

    @Test func aPatternThatBacktrackingWouldNeverFinishMatchesAtOnce() throws {
        let file = try BotsFile(
            parsing: """
                parley: 1
                profiles: { a: { rules: [ { when: { pattern: "^(a+)+$" }, then: { reply: x } } ] } }
                """)
        let pattern = try #require(file.profiles.first?.rules.first?.when.pattern)
        #expect(!pattern.matches(String(repeating: "a", count: 15_000) + "!"))
    }

    @Test func partsThatAreNewerAreBoundedToo() throws {
        let questions = (0..<40).map { "{ name: q\($0), ask: x }" }.joined(separator: ", ")
        let steps = Array(repeating: "{ say: x }", count: 200).joined(separator: ", ")
        for (text, words) in [
            ("{ forms: { f: { questions: [ \(questions) ], done: { send: x } } } }", "at most 30 questions"),
            ("{ tests: [ { steps: [ \(steps) ] } ] }", "at most 100 steps"),
            ("{ forms: { f: { questions: [ { name: q, ask: x, pattern: \"(a*)*b{1000}{1000}\" } ], done: { send: x } } } }", "bad pattern"),
            ("{ schedules: [ { id: s, every: 1s, to: A, send: x } ] }", "a minute or more"),
            ("{ schedules: [ { id: s, cron: \"* * 30 2 *\", to: A, send: x } ] }", "never comes"),
            ("{ schedules: [ { id: s, cron: \"\(String(repeating: "1,", count: 200))1 * * * *\", to: A, send: x } ] }", "at most 200 bytes"),
            ("{ schedules: [ { id: s, at: \"2026-02-31 10:00\", to: A, send: x } ] }", "write a date"),
            ("{ schedules: [ { id: s, at: \"2026-02-01 10:00\", zone: Nowhere/City, to: A, send: x } ] }", "not a time zone"),
            ("{ schedules: [ { id: s, every: 1h, to: A, send: \"{{ text }}\" } ] }", "nobody has written"),
            ("{ rules: [ { id: a, when: { message: any }, then: { send: x }, cooldown: 999999999w } ] }", "a time is written"),
            ("{ rules: [ { when: { message: any, rate: \"> 99999999999999999999 in 1m\" }, then: { send: x } } ] }", "> 5 in 10s"),
            ("{ rules: [ { when: { text: \"/'pay'\", chat: group }, then: { warn: { points: 99999999999999999999 } } } ] }", "whole number"),
        ] {
            let error = try #require(fault(in: Array("parley: 1\nprofiles: { a: \(text) }".utf8)), "\(text.prefix(60))")
            #expect(error.description.contains(words), "\(error)")
        }
    }

    @Test func moreFaultsThanAnybodyReadsAreNotCollected() throws {
        let text = "parley: 1\nprofiles:\n" + (0..<5_000).map { "  p\($0): { nmae: x, wlecome: y }\n" }.joined()
        let error = try #require(fault(in: Array(text.utf8)))
        #expect(error.diagnostics.count == 50)
    }

    // MARK: Parts

    private func fault(in bytes: [UInt8]) -> BotsFileError? {
        do throws(BotsFileError) {
            _ = try BotsFile(parsing: bytes)
            return nil
        } catch {
            return error
        }
    }

    /// Each fault has a place, in the file or one line behind it, and can be printed.
    private func expectPlaces(in error: BotsFileError, lines source: String?) throws {
        #expect(!error.diagnostics.isEmpty)
        for fault in error.diagnostics {
            #expect(fault.position.line >= 1 && fault.position.column >= 1)
            if let source { #expect(fault.position.line <= source.split(separator: "\n", omittingEmptySubsequences: false).count + 1) }
        }
        #expect(error.description.hasPrefix("bots.yaml:"))
    }
}
