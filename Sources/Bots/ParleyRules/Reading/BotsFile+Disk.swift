internal import Foundation

extension BotsFile {
    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: the file, which is also the name that error messages show.
    ///   - extensions: the additions of the program to the format.
    /// - Throws: ``BotsFileError`` with everything that is wrong; `unreadable` for a file that is not there, cannot be read or is not
    ///   UTF-8 text.
    public init(contentsOf path: String, extensions: RuleExtensions = .none) throws(BotsFileError) {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw BotsFileError(unreadable: path, "this is a folder", hint: "name the file in it: \(path.hasSuffix("/") ? path : path + "/")bots.yaml")
        }
        guard let handle = FileHandle(forReadingAtPath: path) else {
            let isThere = FileManager.default.fileExists(atPath: path)
            throw BotsFileError(
                unreadable: path, isThere ? "the file cannot be read" : "there is no such file",
                hint: isThere ? "check its permissions" : "`parley init` writes one, or give the path of another")
        }
        defer { try? handle.close() }
        let data: Data, reading: FileReading
        do {
            (data, reading) = try FileReading.read(handle, upTo: Self.maximumSize)
        } catch {
            throw BotsFileError(unreadable: path, "the file cannot be read: \(error.localizedDescription)", hint: nil)
        }
        let folder = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
        try self.init(parsing: [UInt8](data), file: path, folder: folder, extensions: extensions)
        if reading.stamp != nil { readings[path] = reading }
    }

    /// Reads the bytes of a file.
    ///
    /// - Parameter file: the name that error messages show.
    /// - Throws: ``BotsFileError`` with all errors; `unreadable`, with the position, for a file that is not UTF-8.
    public init(parsing bytes: [UInt8], file: String = "bots.yaml") throws(BotsFileError) {
        try self.init(parsing: bytes, file: file, folder: nil, extensions: .none)
    }

    private init(parsing bytes: [UInt8], file: String, folder: String?, extensions: RuleExtensions) throws(BotsFileError) {
        let bytes = bytes.withoutByteOrderMark
        guard let source = String(validating: bytes, as: UTF8.self) else {
            let readable = Self.readablePart(of: bytes)
            throw BotsFileError(
                file: file, source: readable.text,
                diagnostics: [Diagnostic(.unreadable, at: readable.end, "this is not UTF-8 text", hint: "save the file as UTF-8")])
        }
        try self.init(parsing: source, file: file, folder: folder, extensions: extensions)
    }

    /// The text before the first byte that is not UTF-8, and the position of that byte.
    private static func readablePart(of bytes: [UInt8]) -> (text: String, end: SourcePosition) {
        var text = String.UnicodeScalarView(), line = 1, column = 1
        var decoder = UTF8(), iterator = bytes.makeIterator()
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            text.append(scalar)
            (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
        }
        return (String(text), SourcePosition(line: line, column: column))
    }
}
