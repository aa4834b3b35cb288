internal import Parley

/// Reads `receive-files:` of a profile: the files that its bot receives on its own.
enum FileReceptionSpec {
    static let sources: KeyValuePairs<String, FileSources> = ["own": .own, "any": .any]
    static let kinds: KeyValuePairs<String, MessageKind> = ["file": .file, "image": .image, "video": .video, "voice": .voice]

    static func read(_ reader: NodeReader) -> FileReception? {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.receiveFiles)
        let chosen = mapping.value("kinds")?.listOrOne()?.compactMap { $0.word(of: kinds) }
        let source = mapping.value("from")?.word(of: sources) ?? .own
        guard let limit = mapping.required("up-to", hint: "write the size that a file may have: 10mb").flatMap(FileCondition.size) else { return nil }
        return FileReception(upTo: limit, from: source, kinds: chosen.map(Set.init) ?? Set(kinds.map(\.value)))
    }
}
