/// The names that a line can hold.
struct CompletionNames: Equatable, Sendable {
    /// Contacts, groups and requests.
    var chats: [String] = []
    /// Members of the open group.
    var members: [String] = []
}

/// The completion of the text before the cursor: of a command with a colon, of a name after it, or of a mention.
struct LineCompletion: Equatable, Sendable {
    /// The possible continuations of the text.
    let candidates: [String]
    /// The characters before the cursor that are replaced, and the text in their place; nil if nothing can be added.
    let replacement: (count: Int, text: String)?

    /// Commands that take the name of a chat.
    private static let ofChats: Set<String> = ["open", "accept", "reject", "delete", "sync", "group", "join", "add"]
    /// Commands that take the name of a member.
    private static let ofMembers: Set<String> = ["role", "remove", "block", "unblock", "support", "accept", "reject"]

    init(_ text: String, _ names: CompletionNames) {
        if text.hasPrefix(":"), !text.hasPrefix("::") {
            let rest = text.dropFirst(), word = rest.prefix { !$0.isWhitespace }
            guard word.endIndex < rest.endIndex else {
                self.init(String(word), among: ChatLine.words.sorted(), sign: "", end: { _ in " " })
                return
            }
            let argument = String(rest[word.endIndex...].drop(while: \.isWhitespace))
            let known = (Self.ofChats.contains(String(word)) ? names.chats : []) + (Self.ofMembers.contains(String(word)) ? names.members : [])
            if !known.isEmpty {
                let hasSign = argument.hasPrefix("#") || argument.hasPrefix("@")
                self.init(hasSign ? String(argument.dropFirst()) : argument, among: known, sign: "", end: { _ in "" })
                return
            }
        }
        let start = text.lastIndex(where: \.isWhitespace).map { text.index(after: $0) } ?? text.startIndex
        let word = text[start...]
        guard word.first == "@" else {
            self.init("", among: [], sign: "", end: { _ in "" })
            return
        }
        let isQuoted = word.dropFirst().first == "'"
        self.init(String(word.dropFirst(isQuoted ? 2 : 1)), among: names.members, sign: isQuoted ? "@'" : "@") { name in
            name.contains(" ") || isQuoted ? "' " : " "
        }
    }

    /// - Parameters:
    ///   - sign: the sign before the typed text.
    ///   - end: follows a name that is complete.
    private init(_ typed: String, among known: [String], sign: String, end: (String) -> String) {
        let folded = typed.lowercased()
        var found: [String] = []
        for name in known where name.lowercased().hasPrefix(folded) && !found.contains(name) { found.append(name) }
        candidates = found
        let written = sign.count + typed.count
        guard let first = found.first else {
            replacement = nil
            return
        }
        if found.count == 1 {
            let end = end(first), open = sign == "@" && end.hasPrefix("'") ? "@'" : sign
            replacement = (written, open + first + end)
            return
        }
        var common = Array(first)
        for name in found.dropFirst() { common = zip(common, name).prefix { String($0).lowercased() == String($1).lowercased() }.map(\.0) }
        replacement = common.count > typed.count ? (written, sign + String(common)) : nil
    }

    static func == (one: Self, other: Self) -> Bool {
        one.candidates == other.candidates && one.replacement?.count == other.replacement?.count && one.replacement?.text == other.replacement?.text
    }
}
