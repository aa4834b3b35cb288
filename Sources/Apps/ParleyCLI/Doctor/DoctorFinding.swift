internal import ChatProtocol
internal import Hosting

/// One result of `parley doctor`: what is, and what to do about it.
struct DoctorFinding: Equatable, Sendable {
    enum Level: String, Sendable, CaseIterable {
        case ok, warning, error
    }

    let level: Level
    /// The stable code, `doctor.` and the area, with the fault if there is one: `doctor.disk.low`.
    let code: String
    /// The thing that was checked, such as a path or the name of a router; nil if there is only one.
    let subject: String?
    /// A sentence about what is.
    let message: String
    /// The remedy; nil for a finding that needs no change.
    let remedy: String?

    private init(_ level: Level, _ code: String, _ subject: String?, _ message: String, _ remedy: String?) {
        (self.level, self.code, self.subject, self.message, self.remedy) = (level, "doctor." + code, subject, message, remedy)
    }

    /// A finding that needs no change.
    static func ok(_ code: String, _ subject: String? = nil, _ message: String) -> DoctorFinding { DoctorFinding(.ok, code, subject, message, nil) }

    /// A finding that does not prevent the bots from running.
    static func warning(_ code: String, _ subject: String? = nil, _ message: String, do remedy: String) -> DoctorFinding {
        DoctorFinding(.warning, code, subject, message, remedy)
    }

    /// A finding with which the bots do not run, or do not do their work.
    static func error(_ code: String, _ subject: String? = nil, _ message: String, do remedy: String) -> DoctorFinding {
        DoctorFinding(.error, code, subject, message, remedy)
    }

    /// The lines for a person. What is wrong has its code, and the remedy in a line of its own: once below several findings in a row that have it.
    static func lines(_ findings: [DoctorFinding]) -> [String] {
        var lines: [String] = []
        for (index, finding) in findings.enumerated() {
            let head = finding.level.rawValue + String(repeating: " ", count: width - finding.level.rawValue.count)
            let text = (finding.subject.map { $0 + ": " } ?? "") + finding.message
            guard let remedy = finding.remedy else {
                lines.append(head + text)
                continue
            }
            lines.append("\(head)\(text) [\(finding.code)]")
            let next = index + 1 < findings.count ? findings[index + 1] : nil
            if next?.code != finding.code || next?.remedy != remedy { lines.append(String(repeating: " ", count: width) + remedy) }
        }
        return lines
    }

    private static let width = 9

    /// For `--json`.
    var json: JSONValue {
        Output.object { object in
            object["event"] = "finding"
            object["level"] = level.rawValue
            object["code"] = code
            object["subject"] = subject
            object["message"] = message
            object["remedy"] = remedy
        }
    }
}
