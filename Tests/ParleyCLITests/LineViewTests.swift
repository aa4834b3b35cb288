import Testing

@testable import ParleyCLI

/// The rows of the line editor, written to a small terminal.
@Suite struct LineViewTests {
    /// A terminal that knows what the editor writes.
    private struct Screen {
        let columns: Int
        var rows: [[String]] = [[]]
        var row = 0, column = 0
        private var isFull = false

        init(columns: Int) { self.columns = columns }

        mutating func write(_ text: String) {
            var rest = Array(text)[...]
            while let character = rest.popFirst() {
                switch character {
                case "\n": (row, column, isFull) = (row + 1, 0, false)
                case "\r": (column, isFull) = (0, false)
                case "\u{1B}":
                    let sequence = rest.prefix { !$0.isLetter }, final = rest.dropFirst(sequence.count).first
                    rest = rest.dropFirst(sequence.count + 1)
                    let number = Int(String(sequence.dropFirst())) ?? 1
                    if final == "A" { row -= number }
                    if final == "J" {
                        rows = Array(rows.prefix(row + 1))
                        if rows.indices.contains(row) { rows[row] = Array(rows[row].prefix(column)) }
                    }
                default:
                    let width = LineView.cell(character).1
                    if isFull || column + width > columns { (row, column, isFull) = (row + 1, 0, false) }
                    while rows.count <= row { rows.append([]) }
                    while rows[row].count < column + width { rows[row].append(" ") }
                    rows[row][column] = String(character)
                    for extra in 1..<max(width, 1) where extra < width { rows[row][column + extra] = "" }
                    column += width
                    if column >= columns { (column, isFull) = (columns - 1, true) }
                }
                while rows.count <= row { rows.append([]) }
            }
        }

        var lines: [String] { rows.map { $0.joined() } }
    }

    private func editor(_ keys: TerminalKey...) -> LineEditor {
        var editor = LineEditor()
        for key in keys { _ = editor.take(key) }
        return editor
    }

    @Test func outputStandsAboveTheHalfLineWhichStays() {
        var screen = Screen(columns: 40), view = LineView(prompt: "Ann> ", size: (40, 10))
        view.update(editor(.text("half a sentence"), .left, .left))
        screen.write(view.drawing())
        screen.write(view.erasing() + "Ann: hello\n" + view.drawing())
        #expect(screen.lines == ["Ann: hello", "Ann> half a sentence"])
        #expect(screen.row == 1 && screen.column == 18)
    }

    @Test func longLinesAreFoldedAndErasedAsAWhole() {
        var screen = Screen(columns: 20), view = LineView(prompt: "Ann> ", size: (20, 10))
        view.update(editor(.text("漢字漢字漢字漢字 and more words"), .home, .right))
        screen.write(view.drawing())
        #expect(screen.lines.count == 2 && screen.row == 0 && screen.column == 7)
        screen.write(view.erasing() + "Ann: hello\n" + view.drawing())
        #expect(screen.lines.first == "Ann: hello" && screen.lines.count == 3 && screen.lines[1].hasPrefix("Ann> 漢字"))
        screen.write(view.ending())
        #expect(screen.row == 3 && screen.column == 0)
    }

    @Test(arguments: 0...45) func theCursorIsWhereTheTextIsChanged(_ left: Int) {
        var screen = Screen(columns: 20), view = LineView(prompt: "> ", size: (20, 10)), editor = LineEditor()
        _ = editor.take(.paste("0123456789012345678\n漢字漢字漢字 abc\nend of it"))
        for _ in 0..<left { _ = editor.take(.left) }
        view.update(editor)
        screen.write(view.drawing())
        let before = screen.lines
        // Writing at the cursor what stands there changes nothing.
        if editor.cursor < editor.text.count, editor.text[editor.cursor] != "\n" { screen.write(String(editor.text[editor.cursor])) }
        #expect(screen.lines == before, "\(left)")
    }

    @Test func aTextHigherThanTheTerminalShowsTheRowsAroundTheCursor() {
        var screen = Screen(columns: 20), view = LineView(prompt: "> ", size: (20, 5))
        view.update(editor(.paste((1...50).map { "line \($0)" }.joined(separator: "\n"))))
        screen.write(view.drawing())
        #expect(screen.lines.count == 4 && screen.lines.last == "line 50")
        screen.write(view.erasing())
        #expect(screen.row == 0 && screen.column == 0)
    }

    @Test func aNarrowerTerminalFoldsWhatIsErased() {
        var view = LineView(prompt: "> ", size: (60, 10))
        view.update(editor(.text(String(repeating: "x", count: 50)), .lineBreak, .text("y")))
        _ = view.drawing()
        view.resize((20, 10))
        #expect(view.erasing().hasPrefix("\u{1B}[3A"))
    }

    @Test func whatHidesIsShownByItsNumber() {
        var view = LineView(prompt: "> ", size: (60, 10))
        view.update(editor(.text("a\u{202E}b")))
        #expect(view.drawing().contains("a\\u{202E}b"))
    }
}
