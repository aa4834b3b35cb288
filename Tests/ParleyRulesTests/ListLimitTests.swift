import Foundation
import ParleyRules
import TestSupport
import Testing

/// Lists of words and domains at their limits, in the file and beside it.
@Suite struct ListLimitTests {
    private func read(_ list: String, _ content: String? = nil) throws -> BotsFile {
        let folder = try TemporaryFolder()
        if let content { try Data(content.utf8).write(to: URL(fileURLWithPath: folder("list.txt"))) }
        try Data("parley: 1\nlists:\n  l: \(list)\nprofiles: { a: {} }\n".utf8).write(to: URL(fileURLWithPath: folder("bots.yaml")))
        return try BotsFile(contentsOf: folder("bots.yaml"))
    }

    @Test func aListHasSoManyEntriesAndNoMore() throws {
        func lines(_ count: Int) -> String { (0..<count).map { "w\($0)\n" }.joined() }
        #expect(try read("{ file: list.txt }", lines(ListSpec.maximumEntries)).lists["l"]?.entries.count == ListSpec.maximumEntries)
        for (list, count) in [("{ file: list.txt }", ListSpec.maximumEntries + 1), ("{ file: list.txt, words: [a, b] }", ListSpec.maximumEntries - 1)] {
            let error = try #require(throws: BotsFileError.self) { try read(list, lines(count)) }
            #expect(error.diagnostics.map(\.code) == [.tooLarge] && error.diagnostics.first?.position == SourcePosition(line: 3, column: 6), "\(error)")
        }
    }

    @Test func anEntryHasSoManyBytesAndNoMore() throws {
        let longest = String(repeating: "ü", count: ListSpec.maximumEntryLength / 2)
        #expect(try read("{ words: \(longest) }").lists["l"]?.entries == [longest])
        #expect(try read("{ file: list.txt }", longest).lists["l"]?.entries == [longest])
        let inline = try #require(throws: BotsFileError.self) { try read("{ words: \(longest)x }") }
        #expect(inline.diagnostics.first?.message == "an entry has 201 bytes, more than 200")
        let beside = try #require(throws: BotsFileError.self) { try read("{ file: list.txt }", "a\n\n\(longest)x\n") }
        #expect(beside.diagnostics.first?.message == "list.txt:3: an entry has 201 bytes, more than 200")
    }

    @Test func aFileOfTheLargestSizeIsReadAndALargerOneIsNot() throws {
        let line = String(repeating: "#", count: 1_023) + "\n", comments = String(repeating: line, count: ListSpec.maximumFileSize / 1_024 - 1)
        let largest = comments + "casino\n" + String(repeating: "#", count: 1_024 - 7)
        #expect(largest.utf8.count == ListSpec.maximumFileSize)
        #expect(try read("{ file: list.txt }", largest).lists["l"]?.entries == ["casino"])
        let error = try #require(throws: BotsFileError.self) { try read("{ file: list.txt }", largest + "#") }
        #expect(error.diagnostics.map(\.code) == [.tooLarge], "\(error)")
    }

    @Test func faultsOfAFileBesideAreCountedUpToTheBoundToo() throws {
        let error = try #require(throws: BotsFileError.self) {
            try read("{ file: list.txt, kind: domains }", String(repeating: "not a domain\n", count: 5_000))
        }
        #expect(
            error.diagnostics.count == 50 && error.diagnostics.last?.message == "list.txt:50: \"not a domain\" is not a domain", "\(error.diagnostics.count)")
    }

    @Test func aListWithoutEntriesIsWarnedOf() throws {
        for content in ["", "\n\n", "# nothing\n\r\n"] {
            #expect(try read("{ file: list.txt }", content).warnings.diagnostics.map(\.code) == [.unreachable])
        }
    }

    @Test(
        "a list that is none is refused with its place",
        arguments: [
            ("§{}", "the list has no entries"), ("§{ kind: words }", "the list has no entries"), ("§{ normalize: case }", "the list has no entries"),
            ("§{ words: a, domains: b.example }", "words or domains, not both"), ("{ words: a, kind: §domains }", "the list has words"),
            ("{ domains: a.example, kind: §words }", "the list has domains"), ("{ domains: a.example, normalize: §case }", "only words are normalized"),
            ("{ words: §[] }", "must not be empty"), ("{ words: [a, §\" \"] }", "must not be empty"), ("{ words: [a, §\"***\"] }", "has no letters"),
            ("{ words: [a, §[b]] }", "must be text"), ("{ domains: §\"a b\" }", "is not a domain"),
            ("{ words: a, normalize: [case, §acsents] }", "cannot be \"acsents\""),
            ("{ words: a, normalize: §[] }", "must not be empty"), ("{ words: a, §wrods: b }", "has no key \"wrods\""), ("§words", "must be a mapping"),
            ("{ words: §~ }", "must be text"), ("{ words: §{ a: b } }", "must be text"), ("{ file: §nothing.txt }", "there is no file"),
            ("{ file: §. }", "there is no file"),
        ])
    func whatIsNoListIsRefused(_ marked: String, _ message: String) throws {
        let source = MarkedSource("\n\n  l: \(marked)")
        let error = try #require(throws: BotsFileError.self) { try read(marked.replacing("§", with: "")) }
        #expect(error.diagnostics.first?.position == source.position && error.diagnostics.first?.message.contains(message) == true, "\(error)")
    }

    @Test(
        "a rule names lists that are there, and of its kind",
        arguments: [
            ("words: { list: §nothing }", "there is no list \"nothing\""), ("words: { list: §wrods }", "there is no list \"wrods\""),
            ("words: { list: §hosts }", "list \"hosts\" has domains, not words"), ("domains: { list: §words }", "list \"words\" has words, not domains"),
            ("domains: { list: [hosts, §words] }", "list \"words\" has words, not domains"), ("words: { list: words, normalize: §case }", "a list says itself"),
            ("domains: §{ outside: true }", "no domains to look for"), ("domains: { of: a.example, outside: §maybe }", "must be true or false"),
        ])
    func listsOfRulesAreChecked(_ marked: String, _ message: String) {
        let source = MarkedSource(
            "parley: 1\nlists: { words: { words: a }, hosts: { domains: a.example } }\nprofiles:\n  a:\n    rules:\n      - when: { \(marked) }\n        then: { send: x }\n"
        )
        let found = faults(in: source.text)
        #expect(found.count == 1 && found.first?.position == source.position && found.first?.message.contains(message) == true, "\(found)")
    }
}
