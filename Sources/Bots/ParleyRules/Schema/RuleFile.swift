internal import Foundation
internal import Parley

/// A file that a rule sends.
public struct RuleFile: Sendable {
    /// The kind of thing that recipients see.
    public enum Kind: Sendable, Hashable {
        case file
        case image
        /// A recording of that many seconds.
        case voice(seconds: Int)
    }

    /// The path: relative to the folder of the file that names it, or from the root.
    public let path: String
    /// The kind.
    public let kind: Kind
    /// The text beside it; nil for none.
    public let caption: Template?

    /// Seconds of a recording that clients take.
    static let seconds = 1...300

    init?(_ mapping: MappingReader, in condition: RuleCondition?) {
        mapping.refuseKeys(otherThan: Schemas.sendFile)
        let present = ["file", "image", "voice"].filter { mapping.value($0) != nil }
        guard present.count == 1, let key = present.first, let value = mapping.value(key), let path = value.nonEmptyString() else {
            if present.count != 1 {
                mapping.reader.report(
                    .badValue, present.isEmpty ? "there is no file to send" : "one file, not \(present.joined(separator: " and "))",
                    hint: "write one of: file, image, voice")
            }
            return nil
        }
        caption = mapping.value("text").flatMap { Template($0, in: condition) }
        switch key {
        case "voice":
            guard let seconds = mapping.required("seconds", hint: "say how long the recording is")?.integer(in: Self.seconds) else { return nil }
            kind = .voice(seconds: seconds)
        case "image": kind = .image
        default: kind = .file
        }
        if kind == .file || kind == .image {
            mapping.value("seconds")?.report(.badValue, "only a voice recording has seconds", hint: "leave them out")
        }
        guard let folder = value.sink.folder else {
            self.path = path
            return
        }
        self.path = path.hasPrefix("/") ? path : folder + "/" + path
        if !FileManager.default.isReadableFile(atPath: self.path) {
            value.report(.badValue, "there is no file \(self.path), or it cannot be read", hint: "paths are relative to the folder of this file")
        }
    }

    /// The file as the framework sends it.
    func outgoing(_ values: TemplateValues) -> OutgoingFile {
        let caption = caption?.filled(with: values) ?? ""
        return switch kind {
        case .file: OutgoingFile(path, caption: caption)
        case .image: OutgoingFile(path, as: .image, caption: caption)
        case .voice(let seconds): OutgoingFile(path, as: .voice(seconds: seconds), caption: caption)
        }
    }
}
