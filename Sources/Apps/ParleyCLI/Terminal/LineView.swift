internal import Hosting

/// A prompt with the line that is typed after it, in the last rows of a terminal.
///
/// It says which characters to write so that the rows disappear, and so that they appear again below other output. It counts columns generously, and
/// finds the cursor by writing the row up to it again: terminals do not agree about the width of emoji.
struct LineView: Sendable {
    var prompt: String
    private(set) var text: [Character] = []
    private(set) var cursor = 0
    /// The columns and rows of the terminal.
    private(set) var size: (columns: Int, rows: Int)
    /// The columns of the rows above the cursor that are shown, and of the cursor in its own; nil while nothing is.
    private var shown: (above: [Int], column: Int)?
    /// True if the editor has the text. Otherwise the terminal itself shows the typed characters.
    private let isEdited: Bool

    init(prompt: String, size: (columns: Int, rows: Int), isEdited: Bool = true) {
        (self.prompt, self.size, self.isEdited) = (VisibleText.line(prompt), size, isEdited)
    }

    /// Takes what is to be shown next.
    mutating func update(_ editor: LineEditor) { (text, cursor) = (editor.text, editor.cursor) }

    /// Takes the new size of the terminal, which folds rows that became too long.
    mutating func resize(_ size: (columns: Int, rows: Int)) { self.size = size }

    /// Forgets the rows that are shown: something else was written below them.
    mutating func forget() { shown = nil }

    /// Writes over the rows.
    mutating func erasing() -> String {
        guard let shown else { return "" }
        self.shown = nil
        // Rows that were written before the terminal became narrower are folded.
        let width = max(size.columns, 1), row = shown.above.reduce(shown.column / (width + 1)) { $0 + max(($1 + width - 1) / width, 1) }
        return (row > 0 ? "\u{1B}[\(row)A" : "") + "\r\u{1B}[J"
    }

    /// Writes the rows, where the cursor is at the beginning of one.
    mutating func drawing() -> String {
        guard isEdited else {
            shown = ([], 0)
            return prompt
        }
        let layout = layout(), height = max(size.rows - 1, 1)
        // Of a text that is higher than the terminal the rows around the cursor are shown.
        let first = max(0, min(layout.cursor.row - height / 2, layout.rows.count - height)), last = min(first + height, layout.rows.count)
        let rows = layout.rows[first..<last], before = rows[layout.cursor.row].prefix(layout.cursor.column).joined()
        shown = (rows[first..<layout.cursor.row].map { VisibleText.width(of: $0.joined()) }, VisibleText.width(of: before))
        let below = last - 1 - layout.cursor.row, whole = rows.map { $0.joined() }.joined(separator: "\n")
        if below == 0, layout.cursor.column == rows[layout.cursor.row].count { return whole }
        return whole + (below > 0 ? "\u{1B}[\(below)A" : "") + "\r" + before
    }

    /// Writes the whole text, and ends behind it: the line is complete.
    mutating func ending() -> String {
        guard isEdited else { return "" }
        cursor = text.count
        let end = erasing() + drawing() + "\n"
        shown = nil
        return end
    }

    /// The rows, each of cells that are written one after the other, and the place of the cursor in them.
    private func layout() -> (rows: [[String]], cursor: (row: Int, column: Int)) {
        let width = max(size.columns, 20)
        var rows: [[String]] = [[]], used = 0, place = (row: 0, column: 0)
        func add(_ cell: String, _ columns: Int) {
            if used + columns > width, used > 0 {
                rows.append([])
                used = 0
            }
            rows[rows.count - 1].append(cell)
            used += columns
        }
        let head = VisibleText.fitted(prompt, to: width / 2)
        add(head, VisibleText.width(of: head))
        for (index, character) in text.enumerated() {
            if index == cursor { place = (rows.count - 1, rows[rows.count - 1].count) }
            if character == "\n" {
                rows.append([])
                used = 0
            } else {
                let (cell, columns) = Self.cell(character)
                let before = rows.count
                add(cell, columns)
                if index == cursor, rows.count > before { place = (rows.count - 1, 0) }
            }
        }
        if cursor >= text.count {
            // The cursor needs a column of its own.
            if used >= width { rows.append([]) }
            place = (rows.count - 1, rows[rows.count - 1].count)
        }
        return (rows, place)
    }

    /// A character as it is shown, and the columns that it takes at the most.
    static func cell(_ character: Character) -> (String, Int) {
        if let ascii = character.asciiValue, (0x20..<0x7F).contains(ascii) { return (String(character), 1) }
        if character == "\t" { return ("    ", 4) }
        let shown = VisibleText.line(String(character))
        return (shown, VisibleText.width(of: shown))
    }
}
