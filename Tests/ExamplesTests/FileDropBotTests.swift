import Parley
import ParleyTesting
import Testing

@testable import FileDropBot

@Suite struct FileDropBotTests {
    private struct File: ShelvedFile {
        let name: String, size: Int64
    }

    private let shelf = Shelf([File(name: "a.txt", size: 3), File(name: "b.png", size: 900)])

    @Test func theListNumbersTheFiles() {
        #expect(shelf.list == "1. a.txt, 3 bytes\n2. b.png, 900 bytes")
        #expect(Shelf([File]()).list == "I keep nothing for you.")
    }

    @Test func aFileIsFoundByItsNumber() {
        #expect(shelf.file(" 2 ")?.name == "b.png")
        for number in ["0", "3", "-1", "", "one", "99999999999999999999"] { #expect(shelf.file(number) == nil, "\(number)") }
    }

    @Test func keepsListsAndReturnsFilesAndRefusesLargeOnes() async throws {
        try await withBots(FileDropBot.bot(limit: 1, from: .own)) { room in
            let ann = try await room.person("Ann")
            try await ann.expect(containing: "Send me a file")
            try await ann.say("/list")
            try await ann.expect("I keep nothing for you.")
            try await ann.send(file: "notes.txt", containing: Array("hello".utf8))
            try await ann.expect("I keep notes.txt, 5 bytes.")
            try await ann.send(file: "large.bin", containing: Array(repeating: 7, count: 1 << 20 + 1))
            try await ann.expect(containing: "I cannot keep it")
            try await ann.say("/get 1")
            let returned = try await ann.expectFile("notes.txt")
            #expect(returned.bytes == Array("hello".utf8))
            try await ann.say("/get 2")
            try await ann.expect(containing: "There is no file 2.")
        }
    }
}
