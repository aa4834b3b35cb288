/// The text of a line that is being typed, and what keys do with it: keys in, actions out.
///
/// It edits by characters as people see them, so that one key deletes an emoji of several parts. A line can have line breaks.
struct LineEditor: Sendable {
    /// The bytes of a line at the most.
    static let longestText = 65_536

    /// An action besides showing the text.
    enum Action: Equatable, Sendable {
        /// The text has changed, or where the cursor is.
        case redraw
        /// The line is complete.
        case submit(String)
        /// Candidates for the text before the cursor are wanted.
        case complete(String)
        /// The line was given up: it stays on the screen, and a new one begins.
        case abandon
        case clearScreen, suspend, end
        /// Something is to be said above the line.
        case say(String)
    }

    private(set) var text: [Character] = []
    /// The characters before the cursor.
    private(set) var cursor = 0
    private var history: LineHistory
    /// The text that was deleted last.
    private var killed: [Character] = []
    /// The bytes of the text.
    private var length = 0

    /// - Parameter history: the lines before.
    init(history: LineHistory = LineHistory()) { self.history = history }

    /// The lines before, with this one once it is complete.
    var lines: LineHistory { history }

    /// Takes a key.
    mutating func take(_ key: TerminalKey) -> Action {
        switch key {
        case .text(let typed): return insert(typed)
        case .paste(let pasted): return insert(Self.withoutLastBreak(pasted))
        case .pasteTooLong: return Self.tooLong
        case .lineBreak: return insert("\n")
        case .enter: return submit()
        case .complete: return .complete(String(text[..<cursor]))
        case .left: cursor = max(cursor - 1, 0)
        case .right: cursor = min(cursor + 1, text.count)
        case .wordLeft: cursor = wordStart
        case .wordRight: cursor = wordEnd
        case .home: cursor = lineStart(of: cursor)
        case .end: cursor = lineEnd(of: cursor)
        case .up: moveUp()
        case .down: moveDown()
        case .deleteBackward: delete(max(cursor - 1, 0)..<cursor)
        case .deleteForward: delete(cursor..<min(cursor + 1, text.count))
        case .deleteWordBackward: kill(wordStart..<cursor)
        case .deleteWordForward: kill(cursor..<wordEnd)
        case .deleteToStart: kill(lineStart(of: cursor)..<cursor)
        case .deleteToEnd:
            let end = lineEnd(of: cursor)
            kill(cursor..<(end > cursor ? end : min(cursor + 1, text.count)))
        case .yank: return insert(String(killed))
        case .clearScreen: return .clearScreen
        case .suspend: return .suspend
        case .interrupt:
            guard !text.isEmpty else { return .end }
            clear()
            return .abandon
        case .endOfInput:
            guard !text.isEmpty else { return .end }
            delete(cursor..<min(cursor + 1, text.count))
        }
        return .redraw
    }

    /// Puts a text in the place of characters before the cursor.
    mutating func replace(last count: Int, with replacement: String) -> Action {
        delete(max(cursor - count, 0)..<cursor)
        return insert(replacement)
    }

    // MARK: Changes

    private static let tooLong = Action.say("(nothing was inserted: a line has at most \(longestText / 1_024) KiB. Send a file with :send.)")

    private static func withoutLastBreak(_ text: String) -> String { text.hasSuffix("\n") ? String(text.dropLast()) : text }

    private mutating func insert(_ inserted: String) -> Action {
        guard length + inserted.utf8.count <= Self.longestText else { return Self.tooLong }
        history.leave()
        // A mark joins the character before it, and a part of an emoji the one after it.
        let before = cursor > 0 ? String(text[cursor - 1]) : "", after = cursor < text.count ? String(text[cursor]) : ""
        let joined = Array(before + inserted)
        let whole = after.isEmpty ? joined : Array(String(joined) + after)
        text.replaceSubrange(max(cursor - 1, 0)..<min(cursor + 1, text.count), with: whole)
        cursor = min(max(cursor - 1, 0) + joined.count, text.count)
        length += inserted.utf8.count
        return .redraw
    }

    private mutating func delete(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        history.leave()
        length -= String(text[range]).utf8.count
        text.removeSubrange(range)
        cursor = range.lowerBound
        // What was apart may join now: two halves of a flag.
        guard cursor > 0, cursor < text.count else { return }
        let joined = Array(String(text[cursor - 1...cursor]))
        if joined.count == 1 { text.replaceSubrange(cursor - 1...cursor, with: joined) }
    }

    private mutating func kill(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        killed = Array(text[range])
        delete(range)
    }

    private mutating func clear() { (text, cursor, length) = ([], 0, 0) }

    private mutating func set(_ line: String) {
        text = Array(line)
        cursor = text.count
        length = line.utf8.count
    }

    private mutating func submit() -> Action {
        let line = String(text)
        history.add(line)
        clear()
        return .submit(line)
    }

    // MARK: Places

    private func lineStart(of place: Int) -> Int { text[..<place].lastIndex(of: "\n").map { $0 + 1 } ?? 0 }

    private func lineEnd(of place: Int) -> Int { text[place...].firstIndex(of: "\n") ?? text.count }

    private static func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber || character.isSymbol && !character.isASCII }

    private var wordStart: Int {
        var place = cursor
        while place > 0, !Self.isWord(text[place - 1]) { place -= 1 }
        while place > 0, Self.isWord(text[place - 1]) { place -= 1 }
        return place
    }

    private var wordEnd: Int {
        var place = cursor
        while place < text.count, !Self.isWord(text[place]) { place += 1 }
        while place < text.count, Self.isWord(text[place]) { place += 1 }
        return place
    }

    private mutating func moveUp() {
        let start = lineStart(of: cursor)
        guard start > 0 else {
            if let line = history.previous(than: String(text)) { set(line) }
            return
        }
        let above = lineStart(of: start - 1)
        cursor = min(above + cursor - start, start - 1)
    }

    private mutating func moveDown() {
        let end = lineEnd(of: cursor)
        guard end < text.count else {
            if let line = history.next() { set(line) }
            return
        }
        cursor = min(end + 1 + cursor - lineStart(of: cursor), lineEnd(of: end + 1))
    }
}

/// The lines that were typed before, in memory only: they can hold what nobody else is to read.
struct LineHistory: Sendable {
    /// The lines at the most.
    static let limit = 200
    /// The bytes of all lines at the most.
    static let longest = 1 << 20

    private(set) var lines: [String] = []
    /// The place of the line that is shown; nil for the one that is being typed.
    private var place: Int?
    /// The unsent line that was being typed when an older line was shown.
    private var draft = ""

    /// Adds a line, unless it is empty or the same as the one before.
    mutating func add(_ line: String) {
        (place, draft) = (nil, "")
        guard !line.allSatisfy(\.isWhitespace), lines.last != line else { return }
        lines.append(line)
        var size = lines.reduce(0) { $0 + $1.utf8.count }
        while lines.count > Self.limit || size > Self.longest {
            size -= lines[0].utf8.count
            lines.removeFirst()
        }
    }

    /// The line before the one that is shown.
    mutating func previous(than shown: String) -> String? {
        let next = (place ?? lines.count) - 1
        guard lines.indices.contains(next) else { return nil }
        if place == nil { draft = shown }
        place = next
        return lines[next]
    }

    /// The line after the one that is shown; what was being typed after the last.
    mutating func next() -> String? {
        guard let shown = place else { return nil }
        place = shown + 1 < lines.count ? shown + 1 : nil
        return place.map { lines[$0] } ?? draft
    }

    /// A change of the shown text, which is the text that is being typed now.
    mutating func leave() { place = nil }
}
