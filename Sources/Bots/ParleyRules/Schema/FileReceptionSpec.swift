internal import Parley

/// Reads `receive-files:` of a profile: the files that its bot receives on its own.
enum FileReceptionSpec {
    static let sources: KeyValuePairs<String, FileSources> = ["own": .own, "any": .any]
    static let counts = 1...1_000_000
    static let kinds: KeyValuePairs<String, MessageKind> = ["file": .file, "image": .image, "video": .video, "voice": .voice]

    static func read(_ reader: NodeReader) -> FileReception? {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.receiveFiles)
        let chosen = mapping.value("kinds")?.listOrOne()?.compactMap { $0.word(of: kinds) }
        let source = mapping.value("from")?.word(of: sources) ?? .own
        guard let limit = mapping.required("up-to", hint: "write the maximum size of a file: 10mb").flatMap(FileCondition.size) else { return nil }
        if limit == 0 { mapping.value("up-to")?.report(.badValue, "no file has 0 bytes at the most", hint: "write the maximum size of a file: 10mb") }
        let count = mapping.value("files-per-day")?.integer(in: counts), bytesReader = mapping.value("bytes-per-day")
        let bytes = bytesReader.flatMap(FileCondition.size)
        if let bytes, let bytesReader, bytes < limit {
            bytesReader.report(
                .badValue, "\(bytesReader.path) is less than a file may have by up-to", hint: "no file of that size would be received: make up-to smaller")
        }
        return FileReception(
            upTo: limit, from: source, kinds: chosen.map(Set.init) ?? Set(kinds.map(\.value)), filesPerDay: count ?? FileReception.defaultFilesPerDay,
            bytesPerDay: bytes, refusal: mapping.value("refusal").flatMap(refusal))
    }

    private static func refusal(_ reader: NodeReader) -> String? {
        guard let text = reader.nonEmptyString() else { return nil }
        if text.contains("{{") {
            reader.report(.badTemplate, "\(reader.path) is not a template", hint: "leave the braces out: everybody gets the same text")
        }
        return text
    }
}
