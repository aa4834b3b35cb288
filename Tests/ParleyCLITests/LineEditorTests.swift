import Testing

@testable import ParleyCLI

/// What keys do with a line.
@Suite struct LineEditorTests {
    /// The text after keys, with `|` at the cursor.
    private func text(_ keys: TerminalKey...) -> String {
        var editor = LineEditor()
        for key in keys { _ = editor.take(key) }
        return Self.text(editor)
    }

    private static func text(_ editor: LineEditor) -> String { String(editor.text[..<editor.cursor]) + "|" + String(editor.text[editor.cursor...]) }

    @Test func keysMoveAndDelete() {
        #expect(text(.text("typo"), .left, .left, .text("X")) == "tyX|po")
        #expect(text(.text("one two"), .home, .text(">"), .end, .text("<")) == ">one two<|")
        #expect(text(.text("one, two three"), .wordLeft, .wordLeft) == "one, |two three")
        #expect(text(.text("one, two"), .home, .wordRight, .wordRight) == "one, two|")
        #expect(text(.text("one two"), .deleteWordBackward) == "one |")
        #expect(text(.text("one two"), .home, .deleteForward, .deleteForward) == "|e two")
        #expect(text(.text("one two"), .wordLeft, .deleteToEnd, .home, .yank) == "two|one ")
        #expect(text(.text("one two"), .wordLeft, .deleteToStart) == "|two")
        #expect(text(.text("ab"), .home, .endOfInput) == "|b")
        #expect(text(.deleteBackward, .deleteForward, .left, .right, .up, .down, .wordLeft, .wordRight, .deleteToEnd, .yank) == "|")
    }

    @Test(arguments: ["👨‍👩‍👧‍👦", "🇩🇪", "e\u{301}", "漢", "👍🏽", "❤️", "कि"]) func oneKeyMovesOverAndDeletesOneCharacter(_ character: String) {
        #expect(text(.text("a" + character), .deleteBackward) == "a|")
        #expect(text(.text("a" + character + "b"), .left, .left) == "a|" + character + "b")
        #expect(text(.text("a" + character + "b"), .left, .left, .deleteForward) == "a|b")
        // The parts can come one by one.
        var editor = LineEditor()
        for scalar in character.unicodeScalars { _ = editor.take(.text(String(scalar))) }
        #expect(editor.text == [Character(character)] && editor.cursor == 1)
    }

    @Test func halvesThatComeTogetherAreOneCharacter() {
        #expect(text(.text("🇩x🇪"), .left, .deleteBackward, .end) == "🇩🇪|")
        #expect(text(.text("e"), .home, .text("\u{301}")).unicodeScalars.count == 3)
    }

    @Test func aPasteIsPartOfTheLineAndSentAsOneMessage() {
        var editor = LineEditor()
        _ = editor.take(.text("see: "))
        _ = editor.take(.paste("one\ntwo\nthree\n"))
        #expect(editor.take(.enter) == .submit("see: one\ntwo\nthree"))
        #expect(editor.text.isEmpty)
    }

    @Test func aLineAboveTheBoundIsRefusedAndNotCut() {
        var editor = LineEditor()
        _ = editor.take(.text("start"))
        guard case .say = editor.take(.paste(String(repeating: "x", count: LineEditor.longestText))) else {
            Issue.record("taken")
            return
        }
        #expect(String(editor.text) == "start")
    }

    @Test func linesWithBreaksAreMovedThroughBeforeTheHistory() {
        var editor = LineEditor()
        for key: TerminalKey in [.text("old"), .enter, .text("first"), .lineBreak, .text("second")] { _ = editor.take(key) }
        _ = editor.take(.up)
        #expect(Self.text(editor) == "first|\nsecond")
        _ = editor.take(.home)
        #expect(Self.text(editor) == "|first\nsecond")
        _ = editor.take(.up)
        #expect(Self.text(editor) == "old|")
        _ = editor.take(.down)
        #expect(Self.text(editor) == "first\nsecond|")
    }

    @Test func theHistoryHasEachLineOnceInARowAndIsBounded() {
        var editor = LineEditor()
        for line in ["one", "one", "  ", "two"] { for key: TerminalKey in [.text(line), .enter] { _ = editor.take(key) } }
        #expect(editor.lines.lines == ["one", "two"])
        _ = editor.take(.text("draft"))
        for _ in 1...5 { _ = editor.take(.up) }
        #expect(Self.text(editor) == "one|")
        for _ in 1...5 { _ = editor.take(.down) }
        #expect(Self.text(editor) == "draft|")
        var history = LineHistory()
        for number in 0..<1_000 { history.add("\(number)") }
        #expect(history.lines.count == LineHistory.limit && history.lines.last == "999")
        for number in 0..<40 { history.add(String(repeating: "\(number % 10)", count: 60_000)) }
        #expect(history.lines.reduce(0) { $0 + $1.utf8.count } <= LineHistory.longest)
    }

    @Test func controlCGivesTheLineUpAndLeavesOnAnEmptyOne() {
        var editor = LineEditor()
        _ = editor.take(.text("half"))
        #expect(editor.take(.interrupt) == .abandon && editor.text.isEmpty)
        #expect(editor.take(.interrupt) == .end)
        #expect(editor.take(.endOfInput) == .end)
    }

    // MARK: Completion

    private static let names = CompletionNames(chats: ["Ann", "Ann Lee", "Team"], members: ["Bob", "Bo Derek"])

    @Test(arguments: [
        (":conn", 4, "connect "), (":op", 2, "open "), (":open t", 1, "Team"), (":open #t", 1, "Team"), (":open a", 1, "Ann"), ("hi @bob", 4, "@Bob "),
        ("hi @Bo D", 0, ""), ("@'bo d", 0, ""), (":support bob", 3, "Bob"), ("hi @x", 0, ""), ("word", 0, ""),
    ]) func namesAndCommandsAreCompleted(_ text: String, _ count: Int, _ replacement: String) {
        let found = LineCompletion(text, Self.names).replacement
        #expect((found?.count ?? 0) == count && (found?.text ?? "") == replacement)
    }

    @Test func severalCandidatesAreListed() {
        #expect(LineCompletion(":re", Self.names).candidates == ["reject", "remove", "reply", "report", "review", "react"].sorted())
        #expect(LineCompletion("@bo", Self.names).candidates == ["Bob", "Bo Derek"])
        #expect(LineCompletion("@bo d", Self.names).candidates == [])
        #expect(LineCompletion(":open ann l", Self.names).replacement?.text == "Ann Lee")
    }
}
