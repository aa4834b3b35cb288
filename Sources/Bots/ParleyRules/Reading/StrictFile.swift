internal import Foundation

/// Reads a YAML file of another kind as strictly as a bots.yaml is read: with the place of everything that is wrong.
package enum StrictFile {
    /// Reads a file that is one mapping.
    ///
    /// - Parameter body: reads the known keys, and reports errors to the readers that it gets.
    /// - Throws: ``BotsFileError`` with everything that is wrong.
    package static func read<Value>(contentsOf path: String, _ body: (MappingReader) -> Value) throws(BotsFileError) -> Value {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw BotsFileError(unreadable: path, "the file cannot be read", hint: "check that it is there, and its permissions")
        }
        defer { try? handle.close() }
        // Nothing is read of an empty file.
        guard let data = try? handle.read(upToCount: YAMLDocument.maximumSize + 1) ?? Data(), let source = String(data: data, encoding: .utf8)
        else { throw BotsFileError(unreadable: path, "the file cannot be read as UTF-8 text", hint: nil) }
        return try read(source, file: path, body)
    }

    /// Reads the text of a file.
    package static func read<Value>(_ source: String, file: String, _ body: (MappingReader) -> Value) throws(BotsFileError) -> Value {
        let sink = DiagnosticSink()
        var value: Value?
        do throws(YAMLFault) {
            let document = try YAMLDocument(source)
            document.outline.report(to: sink)
            guard let root = document.root else { throw YAMLFault(Diagnostic(.missingKey, at: SourcePosition(line: 1, column: 1), "the file is empty")) }
            value = NodeReader(node: root, sink: sink, path: "the file").mapping().map(body)
        } catch {
            sink.add(error.diagnostic)
        }
        guard let value, sink.diagnostics.isEmpty else {
            throw BotsFileError(file: file, source: source, diagnostics: sink.diagnostics)
        }
        return value
    }
}
