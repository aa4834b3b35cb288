internal import Foundation
public import UnicodeText

/// A list of words or domains that rules share.
public struct ListSpec: Sendable {
    /// The kinds of entries.
    public enum Kind: String, Sendable, Hashable {
        case words, domains
    }

    /// The key of the list in the file.
    public let id: String
    /// The kind of its entries.
    public let kind: Kind
    /// The words, phrases or domains.
    public let entries: [String]
    /// The changes to texts before they are compared with words.
    public let normalization: TextNormalization

    /// Entries of one list at the most.
    public static let maximumEntries = 20_000
    /// The longest entry, in bytes.
    public static let maximumEntryLength = 200
    /// The largest file of a list, in bytes.
    public static let maximumFileSize = 1 << 20

    init(id: String, kind: Kind, entries: [String], normalization: TextNormalization) {
        self.id = id
        self.kind = kind
        self.entries = entries
        self.normalization = normalization
    }

    init?(id: String, _ reader: NodeReader) {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.list)
        let inline = ["words", "domains"].filter { mapping.value($0) != nil }
        let named: Kind? = mapping.value("kind")?.word(of: Schemas.listKinds)
        let kind = inline.first.flatMap(Kind.init) ?? named ?? .words
        if inline.count == 2 {
            reader.report(.badValue, "a list has words or domains, not both", hint: "make two lists")
        } else if let named, named != kind {
            mapping.value("kind")?.report(.badValue, "the list has \(kind.rawValue)", hint: "leave \"kind\" out")
        }
        if inline.isEmpty, mapping.value("file") == nil {
            if mapping.keys.isEmpty || mapping.value("kind") != nil || mapping.value("normalize") != nil {
                reader.report(.missingKey, "the list has no entries", hint: "write words, domains or file")
            }
            return nil
        }
        var entries = inline.first.flatMap { mapping.value($0) }?.listOrOne()?.compactMap { Self.entry($0, kind) } ?? []
        if let file = mapping.value("file") { entries += Self.entries(of: file, kind) }
        if let value = mapping.value("normalize"), kind == .domains {
            value.report(.badValue, "only words are normalized", hint: "leave \"normalize\" out")
        }
        if entries.count > Self.maximumEntries {
            reader.report(.tooLarge, "list \"\(id)\" has \(entries.count) entries, more than \(Self.maximumEntries)", hint: "make two lists")
            entries = []
        }
        self.init(id: id, kind: kind, entries: entries, normalization: Self.normalization(mapping.value("normalize")))
    }

    /// The changes that a file names; letter case is what nobody means to tell apart.
    static func normalization(_ reader: NodeReader?) -> TextNormalization {
        guard let reader else { return [.letterCase, .whitespace] }
        if reader.text == "all" { return .all }
        return reader.listOrOne()?.compactMap { $0.word(of: TextNormalization.words) }.reduce(into: [.whitespace]) { $0.formUnion($1) } ?? .whitespace
    }

    /// One word, phrase or domain.
    static func entry(_ reader: NodeReader, _ kind: Kind) -> String? {
        guard let text = reader.nonEmptyString() else { return nil }
        reader.warnOfControlCharacters()
        if let problem = problem(with: text, kind) {
            reader.report(.badValue, problem)
            return nil
        }
        return kind == .domains ? DomainSet.normalized(text) : text
    }

    private static func problem(with text: String, _ kind: Kind) -> String? {
        if text.utf8.count > maximumEntryLength { return "an entry has \(text.utf8.count) bytes, more than \(maximumEntryLength)" }
        switch kind {
        case .domains: return DomainSet.normalized(text) == nil ? "\"\(text)\" is not a domain" : nil
        case .words: return text.allSatisfy { $0 == "*" || $0.isWhitespace } ? "\"\(text)\" has no letters to look for" : nil
        }
    }

    /// The lines of a file, without empty ones and those that begin with `#`.
    private static func entries(of reader: NodeReader, _ kind: Kind) -> [String] {
        guard let name = reader.nonEmptyString(), let folder = reader.sink.folder else { return [] }
        let path = name.hasPrefix("/") ? name : folder + "/" + name
        reader.sink.noteFile(path)
        guard let text = contents(of: path, reader) else { return [] }
        var entries: [String] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let entry = String(line.trimmed)
            guard !entry.isEmpty, !entry.hasPrefix("#") else { continue }
            if let problem = problem(with: entry, kind) {
                reader.report(.badValue, "\(name):\(index + 1): \(problem)")
                continue
            }
            if kind == .words { warn(of: entry, at: "\(name):\(index + 1)", reader) }
            entries.append(kind == .domains ? DomainSet.normalized(entry) ?? entry : entry)
        }
        if entries.isEmpty { reader.warn(.unreachable, "the file \(name) has no entries, so it never matches") }
        return entries
    }

    private static let quotes: [Character: Character] = [
        "\"": "\"", "'": "'", "\u{201C}": "\u{201D}", "\u{201E}": "\u{201C}", "\u{2018}": "\u{2019}", "\u{AB}": "\u{BB}",
    ]

    /// Warns of signs that mean something in other files, and belong to the entry in this one.
    private static func warn(of entry: String, at place: String, _ reader: NodeReader) {
        if entry.contains(" #") || entry.contains("\t#") {
            reader.warn(
                .listEntry, "\(place): what follows \" #\" is a part of the entry: \"\(entry.cut)\"", hint: "a comment has a line of its own that begins with #"
            )
        } else if let first = entry.first, let close = quotes[first], entry.count > 1, entry.last == close {
            reader.warn(.listEntry, "\(place): the quotes are a part of the entry: \(entry.cut)", hint: "write the words without quotes")
        }
    }

    private static func contents(of path: String, _ reader: NodeReader) -> String? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
        // A pipe or a device may never end.
        guard attributes?[.type] as? FileAttributeType == .typeRegular, let handle = FileHandle(forReadingAtPath: path) else {
            reader.report(.unreadable, "there is no file \(path), or it cannot be read", hint: "paths are relative to the folder of this file")
            return nil
        }
        defer { try? handle.close() }
        guard let (data, reading) = try? FileReading.read(handle, upTo: maximumFileSize) else {
            reader.report(.unreadable, "the file \(path) cannot be read")
            return nil
        }
        reader.sink.note(reading, of: path)
        guard data.count <= maximumFileSize else {
            reader.report(.tooLarge, "the file \(path) has more than \(maximumFileSize) bytes")
            return nil
        }
        guard let text = String(validating: data.withoutByteOrderMark, as: UTF8.self) else {
            reader.report(.unreadable, "the file \(path) is not UTF-8 text", hint: "save the file as UTF-8")
            return nil
        }
        return text
    }
}
