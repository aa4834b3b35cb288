internal import UnicodeText

/// Words to look for: those of the rule, and those of lists.
struct WordTest: Sendable {
    var words: [String] = []
    var normalization: TextNormalization = [.letterCase, .whitespace]
    var lists: [String] = []
    /// Words and phrases within which nothing is found.
    var exceptions: [String] = []
}

extension WordTest {
    /// Reads words with their lists and exceptions.
    ///
    /// - Parameter key: The key of the words.
    init(_ mapping: MappingReader, words key: String) {
        words = mapping.value(key)?.listOrOne()?.compactMap { ListSpec.entry($0, .words) } ?? []
        lists = mapping.value("list")?.lists(of: .words).map(\.id) ?? []
        exceptions = mapping.value("except")?.listOrOne()?.compactMap { ListSpec.entry($0, .words) } ?? []
        normalization = ListSpec.normalization(mapping.value("normalize"))
    }

    /// Reads words of names. Nil if the mapping has none; a pattern may be in their place.
    init?(ofNames mapping: MappingReader, hint: String) {
        self.init(mapping, words: "words")
        if mapping.value("words") == nil, mapping.value("list") == nil {
            if mapping.value("pattern") == nil { mapping.reader.report(.missingKey, "\(mapping.reader.path) says nothing", hint: hint) }
            mapping.value("normalize")?.report(.badValue, "there are no words that are normalized", hint: "write words: [admin]")
            return nil
        }
        if mapping.value("words") == nil { Self.refuseNormalization(mapping) }
    }

    /// Reports `normalize` next to a list, which has its own `normalize`.
    static func refuseNormalization(_ mapping: MappingReader) {
        mapping.value("normalize")?.report(.badValue, "a list says itself how it is normalized", hint: "put \"normalize\" into the list")
    }
}

extension NodeReader {
    /// The lists that a value names.
    func lists(of kind: ListSpec.Kind) -> [ListSpec] {
        listOrOne()?.compactMap { item in
            guard let name = item.nonEmptyString() else { return nil }
            guard let list = item.sink.lists[name] else {
                // A list with a fault of its own has been reported.
                if !item.sink.faultyLists.contains(name) {
                    let known = item.sink.lists.keys.sorted()
                    item.report(
                        .badValue, "there is no list \"\(name.cut)\"",
                        hint: known.isEmpty
                            ? "write it at the top: lists: { \(name.cut): { \(kind.rawValue): [...] } }" : Spelling.hint(for: name, among: known))
                }
                return nil
            }
            guard list.kind == kind else {
                item.report(.badValue, "list \"\(name.cut)\" has \(list.kind.rawValue), not \(kind.rawValue)")
                return nil
            }
            return list
        } ?? []
    }
}
