internal import ParleyRules

/// The bots.yaml, as `parley doctor` sees it.
enum BotsFileCheckup {
    /// The findings in a file that has been read; the same as those of `parley check`.
    static func findings(_ bots: BotsFile, _ file: String) -> [DoctorFinding] {
        let warnings = bots.warnings.diagnostics.map { diagnostic in
            DoctorFinding.warning("file.\(diagnostic.code.rawValue)", place(diagnostic, file), diagnostic.message, do: diagnostic.hint ?? "see parley check")
        }
        let rules = bots.profiles.reduce(0) { $0 + $1.rules.count }
        return warnings + [
            .ok("file", file, "the file is valid: \(TableColumns.counted(bots.profiles.count, "profile")), \(TableColumns.counted(rules, "rule"))")
        ]
    }

    /// The findings in a file that is refused.
    static func findings(_ error: BotsFileError) -> [DoctorFinding] {
        error.diagnostics.map { diagnostic in
            .error("file.\(diagnostic.code.rawValue)", place(diagnostic, error.file), diagnostic.message, do: diagnostic.hint ?? "see parley check")
        }
    }

    private static func place(_ diagnostic: Diagnostic, _ file: String) -> String { "\(file):\(diagnostic.position)" }
}
