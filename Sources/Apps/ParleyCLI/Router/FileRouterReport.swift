/// The output of `parley server xftp stats` for a person.
struct FileRouterReport: RouterReport {
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
            "\(uploadedFiles) pieces of files with \(Self.size(bytes))" + (quota.map { " of \(Self.size($0))" } ?? "")
                + ", \(files &- uploadedFiles) announced, \(connections) connections",
            "journal \(Self.size(journalBytes))",
        ]
        if let certificateLifetime { lines.append("certificate good for \(certificateLifetime / 86_400) days") }
        return lines + Self.table(day: day, week: week, month: month, total: total)
    }
}
