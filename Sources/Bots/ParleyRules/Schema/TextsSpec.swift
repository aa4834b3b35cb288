internal import Parley

/// Reads `texts:` of a profile: the fixed texts of the framework, in other words or another language.
enum TextsSpec {
    static func read(_ reader: NodeReader) -> BotTexts {
        var texts = BotTexts()
        guard let mapping = reader.mapping() else { return texts }
        mapping.refuseKeys(otherThan: Schemas.texts)
        if mapping.keys.isEmpty { reader.report(.missingKey, "\(reader.path) says nothing", hint: "write a text, for example: form-again: …") }
        for key in BotTexts.Key.allCases {
            guard let value = mapping.value(key.rawValue), let text = value.nonEmptyString() else { continue }
            if text.utf8.count > BotTexts.longestText {
                value.report(.badValue, "the text has \(text.utf8.count) bytes, more than \(BotTexts.longestText)")
            }
            value.warnOfControlCharacters()
            check(BotTexts.placeholders(in: text), of: key, value)
            texts[key] = text
        }
        return texts
    }

    private static func check(_ used: [String], of key: BotTexts.Key, _ reader: NodeReader) {
        let known = key.placeholders, list = known.map { "{{ \($0) }}" }.joined(separator: ", ")
        for name in used where !known.contains(name) {
            reader.report(
                .badTemplate, "\(reader.path) has no value \"\(name.cut)\"",
                hint: known.isEmpty
                    ? "this text has no placeholders" : Spelling.nearest(to: name, among: known).map { "did you mean {{ \($0) }}?" } ?? "it has \(list)")
        }
        if let missing = key.needed.first(where: { !used.contains($0) }) {
            reader.warn(.braces, "without {{ \(missing) }} the text does not say what is expected", hint: "the text of Parley: \(key.standard)")
        }
    }
}
