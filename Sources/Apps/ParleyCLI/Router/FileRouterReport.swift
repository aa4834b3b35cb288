internal import Foundation

/// The output of `parley server xftp stats` for a person.
struct FileRouterReport: Decodable {
    let started: String
    let countedSince: String
    let connections: Int
    let files: Int
    let uploadedFiles: Int
    let bytes: Int
    let quota: Int?
    let journalBytes: Int
    let total: [String: UInt64]
    let day: [String: UInt64]
    let week: [String: UInt64]
    let month: [String: UInt64]
    let certificateLifetime: Int?
    let storageFailure: String?

    var lines: [String] {
        var lines: [String] = []
        if let storageFailure { lines.append("NOTHING IS ACCEPTED: the disk refuses it (\(storageFailure))") }
        lines += [
            "running since \(started), counting since \(countedSince)",
            "\(uploadedFiles) pieces of files with \(RouterReport.size(bytes))" + (quota.map { " of \(RouterReport.size($0))" } ?? "")
                + ", \(files &- uploadedFiles) announced, \(connections) connections",
            "journal \(RouterReport.size(journalBytes))",
        ]
        if let certificateLifetime { lines.append("certificate good for \(certificateLifetime / 86_400) days") }
        lines.append("")
        lines.append(RouterReport.row("", ["today", "7 days", "30 days", "total"]))
        for name in total.keys.sorted() {
            let values = [day, week, month, total].map { "\($0[name] ?? 0)" }
            lines.append(RouterReport.row(name.replacingOccurrences(of: "_", with: " "), values))
        }
        return lines
    }
}
