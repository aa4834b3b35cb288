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
}
