internal import Foundation
internal import Parley

/// A file that a rule sends.
public struct RuleFile: Sendable, Hashable {
    /// The kind of thing that recipients see.
    public enum Kind: Sendable, Hashable {
        case file
        case image
        /// A recording of that many seconds.
        case voice(seconds: Int)
        /// A video of that many seconds, with the path of a picture for its preview.
        case video(seconds: Int, thumbnail: String?)
    }

    /// The path: relative to the folder of the file that names it, or from the root.
    public let path: String
    /// The kind.
    public let kind: Kind
    /// The text of the message; nil for none.
    public let caption: Template?
    /// True for a picture that is sent unchanged, whatever its size.
    public let isOriginal: Bool

    /// The name that recipients see.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Seconds of a recording that clients take.
    static let seconds = 1...300
    /// Seconds of a video.
    static let videoSeconds = 1...86_400

    /// Keys that name a file.
    static let keys = ["file", "image", "voice", "video"]

    init?(_ mapping: MappingReader, _ scope: TemplateScope, schema: MappingSchema = Schemas.sendFile) {
        mapping.refuseKeys(otherThan: schema)
        let present = Self.keys.filter { mapping.value($0) != nil }
        guard present.count == 1, let key = present.first, let value = mapping.value(key), let path = value.nonEmptyString() else {
            if present.count != 1 {
                mapping.reader.report(
                    .badValue, present.isEmpty ? "there is no file to send" : "one file, not \(present.joined(separator: " and "))",
                    hint: "write one of: file, image, voice, video")
            }
            return nil
        }
        caption = mapping.value("text").flatMap { Template($0, scope) }
        isOriginal = mapping.value("original")?.bool() ?? false
        if key != "image" { mapping.value("original")?.report(.badValue, "only a picture is made smaller", hint: "leave \"original\" out") }
        switch key {
        case "voice":
            guard let seconds = mapping.required("seconds", hint: "say how long the recording is")?.integer(in: Self.seconds) else { return nil }
            kind = .voice(seconds: seconds)
        case "video":
            guard let seconds = mapping.required("seconds", hint: "say how long the video is")?.integer(in: Self.videoSeconds) else { return nil }
            kind = .video(seconds: seconds, thumbnail: mapping.value("thumbnail").flatMap { node in node.nonEmptyString().map { Self.path($0, of: node) } })
        case "image": kind = .image
        default: kind = .file
        }
        if kind == .file || kind == .image {
            mapping.value("seconds")?.report(.badValue, "only recordings and videos have seconds", hint: "leave them out")
        }
        if key != "video" { mapping.value("thumbnail")?.report(.badValue, "only a video has a thumbnail", hint: "leave it out") }
        self.path = Self.path(path, of: value)
    }

    /// The path from the root, of a file that must be there.
    private static func path(_ path: String, of reader: NodeReader) -> String {
        guard let folder = reader.sink.folder else { return path }
        let full = path.hasPrefix("/") ? path : folder + "/" + path
        if !FileManager.default.isReadableFile(atPath: full) {
            reader.report(.badValue, "there is no file \(full), or it cannot be read", hint: "paths are relative to the folder of this file")
        }
        return full
    }

    /// The file as the framework sends it.
    func outgoing(_ values: TemplateValues) -> OutgoingFile {
        let caption = caption?.filled(with: values) ?? ""
        return switch kind {
        case .file: OutgoingFile(path, caption: caption)
        case .image: OutgoingFile(path, as: .image, caption: caption, scalesPicture: !isOriginal)
        case .voice(let seconds): OutgoingFile(path, as: .voice(seconds: seconds), caption: caption)
        case .video(let seconds, let thumbnail): OutgoingFile(path, as: .video(seconds: seconds, thumbnail: thumbnail), caption: caption)
        }
    }
}
