import ParleyRules

/// A file with a mark in front of what is wrong in it.
struct MarkedSource {
    /// The file without the mark.
    let text: String
    /// The place of the mark.
    let position: SourcePosition

    /// - Parameter marked: the file, with `§` where the fault is expected.
    init(_ marked: String) {
        let scalars = marked.unicodeScalars, before = scalars.prefix { $0 != "§" }
        let line = before.split(separator: "\n", omittingEmptySubsequences: false).last.map { $0.count } ?? 0
        position = SourcePosition(line: before.count { $0 == "\n" } + 1, column: line + 1)
        text = String(String.UnicodeScalarView(before + scalars.dropFirst(before.count + 1)))
    }
}

/// What is wrong in a file; empty for a file that is right.
func faults(in source: String) -> [Diagnostic] {
    do throws(BotsFileError) {
        _ = try BotsFile(parsing: source)
        return []
    } catch {
        return error.diagnostics
    }
}
