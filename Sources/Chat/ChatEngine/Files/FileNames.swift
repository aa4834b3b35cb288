import ChatProtocol

/// Names of files that came from others.
enum FileNames {
    /// The last part of a name, without what could leave a folder; never empty, at most 255 bytes.
    static func safe(_ name: String) -> String {
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" || $0 == "\0" }).last.map(String.init) ?? ""
        var kept = String(last.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint && $0.value >= 0x20 }.map(Character.init))
        while kept.utf8.count > 255 { kept.removeLast() }
        return kept.isEmpty || kept == "." || kept == ".." ? "file" : kept
    }

    /// The name of the copy of a forwarded file. Pictures and recordings are named by the time, as their names often tell where they were made.
    static func forwarded(_ name: String, _ content: MessageContent, at time: UTCTimestamp) -> String {
        let prefix: String
        switch content {
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
