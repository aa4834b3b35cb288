package import ChatProtocol
import UnicodeText

/// Names of files that came from others.
package enum FileNames {
    /// Bytes of a name that a received file is kept under: with a number behind it, and with that of the unfinished file, it still is a name of the
    /// file system, which has at most 255 bytes.
    package static let longest = 220

    /// The last part of a name, without what could leave a folder; never empty, at most ``longest`` bytes. A name that is cut keeps its extension.
    ///
    /// Names are divided by scalars: a slash followed by a combining mark is another `Character`, but still a slash to the file system.
    package static func safe(_ name: String) -> String {
        let last = name.unicodeScalars.split { $0 == "/" || $0 == "\\" || $0 == "\0" }.last.map { String($0) } ?? ""
        // What is cut can be what a joiner joined.
        let safe = HiddenCharacters.removed(
            from: shortened(HiddenCharacters.removed(from: String(String.UnicodeScalarView(last.unicodeScalars.filter(isShown))))))
        return safe.isEmpty || safe == "." || safe == ".." ? "file" : safe
    }

    /// True unless a scalar is a control or ends a line.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > longest else { return name }
        var end = ""
        if let dot = name.lastIndex(of: "."), dot > name.startIndex, name[dot...].utf8.count <= longestExtension { end = String(name[dot...]) }
        return prefix(name, bytes: longest - end.utf8.count) + end
    }

    /// Bytes of an extension with its dot, above which it is taken for a part of the name.
    private static let longestExtension = 32

    private static func prefix(_ name: String, bytes: Int) -> String {
        var kept = String.UnicodeScalarView()
        var count = 0
        for scalar in name.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= bytes else { break }
            kept.append(scalar)
        }
        return String(kept)
    }

    /// The name of the copy of a forwarded file. Pictures and recordings are named by the time, as their names often tell where they were made.
    package static func forwarded(_ name: String, _ content: MessageContent, at time: UTCTimestamp) -> String {
        let prefix: String
        switch content.kind {
        case .image: prefix = "IMG_"
        case .voice: prefix = "voice_"
        case .video: prefix = "video_"
        default: return safe(name)
        }
        let fields = time.description.prefix { $0 != "." && $0 != "Z" }.filter { $0.isNumber || $0 == "T" }.replacing("T", with: "_")
        let dot = name.lastIndex(of: ".")
        return safe(prefix + fields + (dot.map { String(name[$0...]) } ?? ""))
    }
}
