import Foundation
import ParleyRules
import TestSupport
import Testing

/// One file as different editors store it: the same places, lines and hints.
@Suite struct FileEncodingTests {
    /// Files with a fault or something that is probably not meant, with lines before and behind it.
    private static let sources = [
        "parley: 1\nprofiles:\n  echo:\n    nmae: Echo\n    bio: x\n",
        "parley: 1\nprofiles:\n  a:\n    rules:\n      -id: x\n       when: { text: x }\n",
        "parley: 1\nprofiles:\n\ta: {}\n",
        "parley: 1\nprofiles:\n  a:\n    bio: Hours: 9 to 5\n    name: x\n",
        "parley: 1\nprofiles:\n  a:\n    rules:\n      - when: { text: x }\n        then: { reply: \"{{ nobody }}\" }\n",
        "parley: 1\nprofiles:\n  a:\n    rules:\n      - { when: { text: [a, ''] }, then: { send: x } }\n",
        "parley: 1\nprofiles:\n  a: {}\n  a: {}\n",
    ]
    private static let warned = [
        "parley: 1\nprofiles:\n  a:\n    rules:\n      - when: { text: x }\n        then:\n          - reply: Join #team now\n          - send: y\n",
        "parley: 1\nprofiles:\n  a:\n    rules:\n      - when: { text: x }\n        then: { reply: \"Hi {contact.name}\" }\n",
    ]

    @Test(arguments: sources, ["\r\n", "\r"])
    func aFaultIsToldAlikeWhateverEndsTheLines(_ source: String, _ end: String) throws {
        let expected = try #require(throws: BotsFileError.self) { try BotsFile(parsing: source) }
        let error = try #require(throws: BotsFileError.self) { try BotsFile(parsing: source.replacing("\n", with: end)) }
        #expect(error.diagnostics == expected.diagnostics)
        #expect(error.description == expected.description)
        #expect(expected.description.split(separator: "\n").count >= 2, "the line is shown")
    }

    @Test(arguments: warned, ["\r\n", "\r"])
    func aWarningIsGivenAlikeWhateverEndsTheLines(_ source: String, _ end: String) throws {
        let expected = try BotsFile(parsing: source).warnings, found = try BotsFile(parsing: source.replacing("\n", with: end)).warnings
        #expect(!expected.diagnostics.isEmpty)
        #expect(found.diagnostics == expected.diagnostics && found.description == expected.description)
    }

    /// YAML ends lines there, so its line numbers count them.
    @Test(arguments: ["\u{85}", "\u{2028}", "\u{2029}"])
    func theLineThatIsShownIsTheOneOfTheFault(_ separator: String) throws {
        let source = "parley: 1 # one\(separator)# two\nprofiles:\n  echo:\n    nmae: Echo\n"
        let error = try #require(throws: BotsFileError.self) { try BotsFile(parsing: source) }
        #expect(error.description.contains("\n        nmae: Echo\n        ^\n"), "\(error)")
    }

    @Test(arguments: sources)
    func aByteOrderMarkIsNoPartOfTheFile(_ source: String) throws {
        let expected = try #require(throws: BotsFileError.self) { try BotsFile(parsing: Array(source.utf8)) }
        let error = try #require(throws: BotsFileError.self) { try BotsFile(parsing: [0xEF, 0xBB, 0xBF] + source.utf8) }
        #expect(error.description == expected.description)
        // A second one is a character that nobody typed.
        #expect(throws: BotsFileError.self) { try BotsFile(parsing: [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF] + "parley: 1\nprofiles: { a: {} }".utf8) }
    }

    @Test func listsAndSecretsAreReadWithoutTheByteOrderMarkOfTheirFiles() throws {
        let folder = try TemporaryFolder()
        func write(_ text: String, to name: String) throws {
            try Data([0xEF, 0xBB, 0xBF] + text.utf8).write(to: URL(fileURLWithPath: folder(name)))
        }
        try write("# the words\ncasino\n", to: "commented.txt")
        try write("casino\r\npoker\r\n", to: "words.txt")
        try write("evil.example\n", to: "domains.txt")
        try write("https://hooks.example/secret\n", to: "address")
        try write(
            """
            parley: 1
            lists: { a: { file: commented.txt }, b: { file: words.txt }, c: { file: domains.txt, kind: domains } }
            profiles: { p: { rules: [ { when: { text: x }, then: { webhook: { url: { file: address } } } } ] } }
            """, to: "bots.yaml")
        let file = try BotsFile(contentsOf: folder("bots.yaml"))
        #expect(file.lists["a"]?.entries == ["casino"] && file.lists["b"]?.entries == ["casino", "poker"] && file.lists["c"]?.entries == ["evil.example"])
    }

    @Test func oneDocumentIsAFile() {
        for source in ["parley: 1\nprofiles: { a: {} }\n---\nparley: 1\nprofiles: { b: {} }\n", "--- {}\n--- {}\n"] {
            #expect(faults(in: source).map(\.code) == [.syntax], "\(faults(in: source))")
        }
        #expect(faults(in: "%YAML 1.1\n---\nparley: 1\nprofiles: { a: {} }\n...\n") == [])
    }

    @Test(
        "a key that is written in two ways stands twice all the same",
        arguments: [
            "profiles: { §1: {}, \"1\": {} }", "profiles: { §true: {}, 'true': {} }", "profiles: { §~: {}, \"~\": {} }",
            "profiles: { a: { §name: x, \"name\": y } }", "profiles: { a: { forms: { §7: {}, \"7\": {} } } }", "profiles: { a: { !!str §name: x, name: y } }",
            "lists: { §2024-01-01: { words: a }, \"2024-01-01\": { words: b } }\nprofiles: { a: {} }",
        ])
    func keysAreComparedAsTheyAreRead(_ marked: String) {
        let source = MarkedSource("parley: 1\n" + marked), found = faults(in: source.text)
        #expect(found.contains { $0.code == .duplicateKey && $0.position.line == source.position.line }, "\(found)")
        if !marked.contains("!!str") { #expect(found.first { $0.code == .duplicateKey }?.position == source.position, "\(found)") }
    }

    @Test func aMillionKeysAreToldInGoodTime() {
        // As many as a file of the largest size has.
        let keys = (0..<90_000).map { "k\($0): 1\n" }.joined()
        #expect(faults(in: "parley: 1\nprofiles: { a: {} }\n" + keys).count == 50)
    }
}
