internal import Parley
internal import UnicodeText

/// Reads the value of one check.
struct CheckReader {
    let event: RuleEvent

    /// Keys that look at a text.
    private static let textKeys: Set<String> = [
        "text", "contains", "pattern", "command", "words", "domains", "link", "length", "word-count", "lines", "capitals", "emoji", "marks", "repeated",
        "blank", "invisible",
    ]
    /// Keys that look at a message that has just come.
    private static let messageKeys: Set<String> = ["message", "file", "forwarded", "comment"]
    /// Keys that look at who wrote.
    private static let writerKeys: Set<String> = ["from", "name", "bot"]

    /// The test of a key; nil for keys that are no checks and for values that cannot be read.
    func test(_ key: String, _ reader: NodeReader) -> Check.Test? {
        if let condition = reader.sink.extensions.condition(key) { return custom(condition, reader) }
        guard let test = reading(key, reader), isPossible(key, reader) else { return nil }
        return test
    }

    private func reading(_ key: String, _ reader: NodeReader) -> Check.Test? {
        switch key {
        case "message": kinds(reader)
        case "text": texts(reader).map(Check.Test.text)
        case "contains": parts(reader).map(Check.Test.contains)
        case "pattern": pattern(reader).map(Check.Test.pattern)
        case "command": commands(reader).map(Check.Test.command)
        case "reaction": reactions(reader)
        case "member": MemberCondition.changes(reader).map(Check.Test.change)
        case "relay": RelayEvent.read(reader).map(Check.Test.relay)
        case "file": FileCondition(reader).map(Check.Test.file)
        case "mention": mention(reader)
        case "from": people(reader).map(Check.Test.from)
        case "name": name(reader).map(Check.Test.name)
        case "bot": reader.bool().map(Check.Test.bot)
        case "role": MemberCondition.roles(reader).map(Check.Test.role)
        case "member-age": Comparison(reader, unit: .duration).map(Check.Test.age)
        case "group": group(reader)
        case "hours": HourRange(reader).map(Check.Test.hours)
        case "warned": Comparison(reader, unit: .count).map(Check.Test.points)
        case "rate": RateTest(reader, event: event).map(Check.Test.rate)
        default: textTest(key, reader)
        }
    }

    private func custom(_ condition: CustomCondition, _ reader: NodeReader) -> Check.Test? {
        let test = condition.read(reader)
        guard condition.events.contains(event) else {
            reader.report(.badValue, "\"\(condition.name)\" does not go with \"\(event.rawValue)\"", hint: condition.eventHint)
            return nil
        }
        return test.map(Check.Test.custom)
    }

    private func textTest(_ key: String, _ reader: NodeReader) -> Check.Test? {
        switch key {
        case "words": words(reader).map(Check.Test.words)
        case "domains": domains(reader).map(Check.Test.domains)
        case "link": reader.word(of: LinkTest.words).map(Check.Test.link)
        case "length": Comparison(reader, unit: .count).map(Check.Test.length)
        case "word-count": Comparison(reader, unit: .count).map(Check.Test.wordCount)
        case "lines": lines(reader)
        case "capitals": Comparison(reader, unit: .percent).map(Check.Test.capitals)
        case "emoji": Comparison(reader, unit: .count).map(Check.Test.emoji)
        case "marks": Comparison(reader, unit: .count).map(Check.Test.marks)
        case "mentions": Comparison(reader, unit: .count).map(Check.Test.mentions)
        case "repeated": repeated(reader)
        case "blank": reader.bool().map(Check.Test.blank)
        case "invisible": reader.bool().map(Check.Test.invisible)
        case "forwarded": reader.bool().map(Check.Test.forwarded)
        case "comment": reader.bool().map(Check.Test.comment)
        default: nil
        }
    }

    /// Reports checks that the event has no answer for.
    private func isPossible(_ key: String, _ reader: NodeReader) -> Bool {
        if Self.textKeys.contains(key), !event.hasText {
            reader.report(.badValue, "\"\(key)\" looks at a text, and \"\(event.rawValue)\" has none")
            return false
        }
        if Self.messageKeys.contains(key), event != .message, !(["message", "comment"].contains(key) && event == .edited),
            !(key == "file" && event.isAboutTransfer)
        {
            reader.report(.badValue, "\"\(key)\" looks at a message, and \"\(event.rawValue)\" is none")
            return false
        }
        if Self.writerKeys.contains(key), !event.hasWriter, event != .invitation, key == "from" || ![.member, .connected].contains(event),
            key != "name" || event != .request
        {
            reader.report(.badValue, "\"\(key)\" looks at who wrote, and \"\(event.rawValue)\" is not written")
            return false
        }
        if key == "rate", event == .warned {
            // A warning is the consequence of an event that is counted itself.
            reader.report(.badValue, "\"rate\" does not go with \"warned\"", hint: "compare the points: warned: \">= 3\"")
            return false
        }
        return true
    }

    private func kinds(_ reader: NodeReader) -> Check.Test? {
        var isAny = false
        let kinds = reader.listOrOne()?.flatMap { item -> [MessageKind] in
            if item.text == "any" {
                isAny = true
                return []
            }
            guard let kind = item.word(of: RuleCondition.kindWords) else { return [] }
            // A text with a web address is a message of its own kind if the sender's app adds a preview: its writer sees a text.
            return kind == .text ? [.text, .link] : [kind]
        }
        return isAny ? nil : kinds.map { .kind(Set($0)) }
    }

    private func texts(_ reader: NodeReader) -> [String]? {
        reader.listOrOne()?.compactMap { item in
            guard let text = item.nonEmptyString() else { return nil }
            item.warnOfSlips()
            guard text.utf8.count <= RuleCondition.maximumTextLength else {
                item.report(.badValue, "\(item.path) has \(text.utf8.count) bytes, more than \(RuleCondition.maximumTextLength)")
                return nil
            }
            return text
        }
    }

    /// Texts, or texts with exceptions.
    private func parts(_ reader: NodeReader) -> PartTest? {
        guard reader.keys != nil else { return texts(reader).map { PartTest(parts: $0) } }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.parts)
        let exceptions = mapping.value("except").flatMap(texts) ?? []
        guard let parts = mapping.required("of", hint: "write of: [text, \"another text\"]").flatMap(texts) else { return nil }
        return PartTest(parts: parts, exceptions: exceptions)
    }

    /// A pattern of a name, or words to look for in it.
    private func name(_ reader: NodeReader) -> NameTest? {
        guard reader.keys != nil else { return pattern(reader).map { NameTest(pattern: $0) } }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.nameTest)
        let words = nameWords(mapping, hint: "write words: [admin], list: name, or pattern: \"…\"")
        let pattern = mapping.value("pattern").flatMap(self.pattern)
        return words == nil && pattern == nil ? nil : NameTest(pattern: pattern, words: words)
    }

    /// Names of groups, or words to look for in them.
    private func group(_ reader: NodeReader) -> Check.Test? {
        guard reader.keys != nil else { return names(reader).map(Check.Test.group) }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.groupTest)
        return nameWords(mapping, hint: "write words: [casino], or list: name").map(Check.Test.groupName)
    }

    private func nameWords(_ mapping: MappingReader, hint: String) -> WordTest? {
        var test = WordTest()
        test.words = mapping.value("words")?.listOrOne()?.compactMap { ListSpec.entry($0, .words) } ?? []
        test.lists = lists(mapping.value("list"), .words).map(\.id)
        test.exceptions = mapping.value("except")?.listOrOne()?.compactMap { ListSpec.entry($0, .words) } ?? []
        test.normalization = ListSpec.normalization(mapping.value("normalize"))
        if mapping.value("words") == nil, mapping.value("list") == nil {
            if mapping.value("pattern") == nil { mapping.reader.report(.missingKey, "\(mapping.reader.path) says nothing", hint: hint) }
            mapping.value("normalize")?.report(.badValue, "there are no words that are normalized", hint: "write words: [admin]")
            return nil
        }
        if mapping.value("words") == nil { refuseNormalization(mapping) }
        return test
    }

    /// A list says itself how it is normalized.
    private func refuseNormalization(_ mapping: MappingReader) {
        mapping.value("normalize")?.report(.badValue, "a list says itself how it is normalized", hint: "put \"normalize\" into the list")
    }

    private func names(_ reader: NodeReader) -> Set<String>? { (reader.listOrOne()?.compactMap { $0.nonEmptyString() }).map(Set.init) }

    /// Names of trusted contacts; the profile refuses others.
    private func people(_ reader: NodeReader) -> Set<String>? { (reader.listOrOne()?.compactMap { $0.name(of: .person) }).map(Set.init) }

    private func mention(_ reader: NodeReader) -> Check.Test? {
        guard let value = reader.bool() else { return nil }
        if !value { reader.report(.badValue, "leave \"mention\" out instead of saying false", hint: "write not: { mention: true }") }
        return .mention
    }

    func pattern(_ reader: NodeReader) -> TextPattern? {
        guard let source = reader.nonEmptyString() else { return nil }
        reader.warnOfControlCharacters()
        reader.warnOfPatternSlips()
        do {
            return try TextPattern(source)
        } catch {
            let offset = error.part.isEmpty ? nil : source.firstRange(of: error.part).map { source.utf8.distance(from: source.startIndex, to: $0.lowerBound) }
            reader.report(
                .badPattern, "bad pattern: \(error.reason)" + (error.part.isEmpty ? "" : ": \(error.part)"),
                hint: hint(for: source), at: offset.map(reader.position(ofByte:)))
            return nil
        }
    }

    private func hint(for source: String) -> String {
        if source.utf8.count > TextPattern.maximumSourceLength {
            return "a pattern has at most \(TextPattern.maximumSourceLength) bytes: write any: with several patterns, or a list of words"
        }
        if source.contains("(?=") || source.contains("(?!") || source.contains("(?<") && !source.contains("(?P<") {
            return "RE2 has no look-around; a named group is written (?P<name>…)"
        }
        return "patterns are RE2: https://github.com/google/re2/wiki/Syntax"
    }

    private func commands(_ reader: NodeReader) -> [String]? {
        reader.listOrOne()?.compactMap { item in
            guard var word = item.nonEmptyString() else { return nil }
            if word.hasPrefix("/") { word.removeFirst() }
            guard !word.isEmpty, !word.contains(where: { $0.isWhitespace || $0 == "'" || $0 == "/" }) else {
                item.report(.badValue, "a command is one word, with or without the slash before it")
                return nil
            }
            return (SlashCommand("/\(word)")?.name ?? word).folded
        }
    }

    private func reactions(_ reader: NodeReader) -> Check.Test? {
        if reader.text == "any" { return nil }
        let emoji = reader.listOrOne()?.compactMap { item in
            let text = item.nonEmptyString()?.folded
            if let text, !RuleAction.emoji.contains(where: { $0.folded == text }) {
                item.warn(
                    .unreachable, "no app sends the reaction \"\(text.cut)\": the rule does not apply",
                    hint: "expected one of: " + RuleAction.emoji.joined(separator: " "))
            }
            return text
        }
        return emoji.map { .reaction(Set($0)) }
    }

    private func lines(_ reader: NodeReader) -> Check.Test? {
        guard reader.keys != nil else { return Comparison(reader, unit: .count).map { .lines($0, width: nil) } }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.lines)
        let count = mapping.required("count", hint: "write a comparison in quotes: \"> 20\"").flatMap { Comparison($0, unit: .count) }
        let width = mapping.value("width")?.integer(in: RuleCondition.widths)
        return count.map { .lines($0, width: width) }
    }

    private func repeated(_ reader: NodeReader) -> Check.Test? {
        guard reader.keys != nil else { return reader.integer(in: RuleCondition.repetitions).map { .repeated(times: $0, length: 1) } }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.repeated)
        let times = mapping.required("times", hint: "say how many times in a row")?.integer(in: RuleCondition.repetitions)
        let length = mapping.value("length")?.integer(in: 1...TextMeasures.longestPeriod) ?? 1
        return times.map { .repeated(times: $0, length: length) }
    }
}

// MARK: Lists

extension CheckReader {
    private func words(_ reader: NodeReader) -> WordTest? {
        guard reader.keys != nil else {
            return reader.listOrOne().map { WordTest(words: $0.compactMap { ListSpec.entry($0, .words) }) }
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.words)
        var test = WordTest()
        test.words = mapping.value("of")?.listOrOne()?.compactMap { ListSpec.entry($0, .words) } ?? []
        test.lists = lists(mapping.value("list"), .words).map(\.id)
        test.exceptions = mapping.value("except")?.listOrOne()?.compactMap { ListSpec.entry($0, .words) } ?? []
        test.normalization = ListSpec.normalization(mapping.value("normalize"))
        if mapping.value("of") == nil {
            refuseNormalization(mapping)
            if mapping.value("list") == nil { reader.report(.missingKey, "no words to look for", hint: "write of: [word, \"two words\"], or list: name") }
        }
        return test
    }

    private func domains(_ reader: NodeReader) -> DomainTest? {
        guard reader.keys != nil else {
            return reader.listOrOne().map { DomainTest(domains: DomainSet($0.compactMap { ListSpec.entry($0, .domains) }), outside: false) }
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.domains)
        if mapping.value("of") == nil, mapping.value("list") == nil {
            reader.report(.missingKey, "no domains to look for", hint: "write of: [example.com], or list: name")
        }
        let own = mapping.value("of")?.listOrOne()?.compactMap { ListSpec.entry($0, .domains) } ?? []
        let listed = lists(mapping.value("list"), .domains).flatMap(\.entries)
        let exceptions = mapping.value("except")?.listOrOne()?.compactMap { ListSpec.entry($0, .domains) } ?? []
        return DomainTest(
            domains: DomainSet(own + listed), exceptions: DomainSet(exceptions), outside: mapping.value("outside")?.bool() ?? false)
    }

    /// The lists that a value names.
    private func lists(_ reader: NodeReader?, _ kind: ListSpec.Kind) -> [ListSpec] {
        reader?.listOrOne()?.compactMap { item in
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
