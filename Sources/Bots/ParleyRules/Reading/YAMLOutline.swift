internal import CYaml

/// The parts of a YAML text besides its values: keys that are made of aliases, tags and anchors.
///
/// It is read from the events of the parser, before any value is made. The library that makes the values compares the keys of every mapping with each
/// other, and a key that is made of aliases of aliases takes longer to compare than anybody waits. Tags and anchors do not reach the values: what a person
/// wrote for text would silently be missing.
struct YAMLOutline: Sendable {
    /// A place in the text with the word that is there.
    struct Mark: Sendable, Hashable {
        let word: String
        let position: SourcePosition
        /// True if it is before a text, and not before a list or a mapping.
        let isBeforeText: Bool
    }

    /// Places that are remembered of each kind at the most.
    private static let maximumCount = DiagnosticSink.maximumCount

    /// The first key that is, or holds, an alias.
    private(set) var aliasInKey: SourcePosition?
    /// The tags but `!!str` before a text.
    private(set) var tags: [Mark] = []
    /// The anchors that no alias names.
    private(set) var unusedAnchors: [Mark] = []

    private struct Frame {
        /// True if the next node is a key of a mapping.
        var expectsKey: Bool
        let isMapping: Bool
        /// True inside of a key.
        let isInKey: Bool
    }

    private var frames: [Frame] = []
    private var anchors: [String: Mark] = [:]

    /// Reads the part of a text that is valid YAML.
    init(_ source: String) {
        var parser = yaml_parser_t()
        guard yaml_parser_initialize(&parser) == 1 else { return }
        defer { yaml_parser_delete(&parser) }
        var source = source
        source.withUTF8 { bytes in
            yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
            yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
            var event = yaml_event_t()
            while yaml_parser_parse(&parser, &event) == 1 {
                let isEnd = event.type == YAML_STREAM_END_EVENT || event.type == YAML_NO_EVENT
                take(event)
                yaml_event_delete(&event)
                if isEnd { break }
            }
        }
        unusedAnchors += anchors.values
        unusedAnchors.sort { $0.position < $1.position }
        unusedAnchors = Array(unusedAnchors.prefix(Self.maximumCount))
    }

    private mutating func take(_ event: yaml_event_t) {
        let data = event.data
        switch event.type {
        case YAML_ALIAS_EVENT:
            if beginNode(), aliasInKey == nil { aliasInKey = Self.position(event) }
            if let name = Self.text(data.alias.anchor) { anchors[name] = nil }
        case YAML_SCALAR_EVENT:
            _ = beginNode()
            note(data.scalar.anchor, data.scalar.tag, event, isText: true)
        case YAML_SEQUENCE_START_EVENT:
            let isInKey = beginNode()
            note(data.sequence_start.anchor, data.sequence_start.tag, event, isText: false)
            frames.append(Frame(expectsKey: false, isMapping: false, isInKey: isInKey))
        case YAML_MAPPING_START_EVENT:
            let isInKey = beginNode()
            note(data.mapping_start.anchor, data.mapping_start.tag, event, isText: false)
            frames.append(Frame(expectsKey: true, isMapping: true, isInKey: isInKey))
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: _ = frames.popLast()
        default: break
        }
    }

    /// - Returns: true if the node is a key, or a part of one.
    private mutating func beginNode() -> Bool {
        guard var frame = frames.popLast() else { return false }
        let isKey = frame.isMapping && frame.expectsKey
        if frame.isMapping { frame.expectsKey.toggle() }
        frames.append(frame)
        return isKey || frame.isInKey
    }

    private mutating func note(_ anchor: UnsafeMutablePointer<yaml_char_t>?, _ tag: UnsafeMutablePointer<yaml_char_t>?, _ event: yaml_event_t, isText: Bool) {
        if let name = Self.text(anchor) {
            // The name can be given again; aliases mean the last value that has it.
            if let earlier = anchors[name], unusedAnchors.count < Self.maximumCount { unusedAnchors.append(earlier) }
            anchors[name] = Mark(word: name, position: Self.position(event), isBeforeText: isText)
        }
        guard let tag = Self.text(tag), !(isText && tag == "tag:yaml.org,2002:str"), tags.count < Self.maximumCount else { return }
        let prefix = "tag:yaml.org,2002:"
        tags.append(
            Mark(word: tag.hasPrefix(prefix) ? "!!" + tag.dropFirst(prefix.count) : tag, position: Self.position(event), isBeforeText: isText))
    }

    private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? { pointer.map { String(cString: $0) } }

    private static func position(_ event: yaml_event_t) -> SourcePosition {
        SourcePosition(line: Int(clamping: event.start_mark.line) + 1, column: Int(clamping: event.start_mark.column) + 1)
    }
}

extension YAMLOutline {
    /// Reports tags as errors, and anchors that nothing names as warnings.
    func report(to sink: DiagnosticSink) {
        for tag in tags {
            sink.add(
                Diagnostic(
                    .tag, at: tag.position, "\"\(tag.word.cut)\" is a tag of YAML and would be left out",
                    hint: tag.isBeforeText ? "put the whole text in double quotes, or take the tag out" : "take the tag out"))
        }
        for anchor in unusedAnchors {
            sink.warn(
                Diagnostic(
                    .anchor, at: anchor.position, "\"&\(anchor.word.cut)\" names a value for aliases and is left out; no alias \"*\(anchor.word.cut)\" uses it",
                    hint: anchor.isBeforeText ? "put the whole text in double quotes, or take the anchor out" : "take the anchor out"))
        }
    }
}
