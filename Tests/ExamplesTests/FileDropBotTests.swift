import Testing

@testable import FileDropBot

@Suite struct FileDropBotTests {
    private let shelf = Shelf([("a.txt", 3, "/files/a.txt"), ("b.png", 900, "/files/b.png")])

    @Test func theListNumbersTheFiles() {
        #expect(shelf.list == "1. a.txt, 3 bytes\n2. b.png, 900 bytes")
        #expect(Shelf([(String, Int64, String)]()).list == "I keep nothing for you.")
    }

    @Test func aFileIsFoundByItsNumber() {
        #expect(shelf.file(" 2 ")?.path == "/files/b.png")
        for number in ["0", "3", "-1", "", "one", "99999999999999999999"] { #expect(shelf.file(number) == nil, "\(number)") }
    }
}
