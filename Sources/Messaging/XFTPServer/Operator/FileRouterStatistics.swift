package import RouterSupport
import SMPWire

/// The counters of a file router, and its present load.
package struct FileRouterStatistics: Sendable {
    /// Totals since the start.
    package struct Counters: CounterSet {
        package var sessionsOpened: UInt64 = 0
        package var filesCreated: UInt64 = 0
        package var recipientsAdded: UInt64 = 0
        package var filesUploaded: UInt64 = 0
        package var bytesUploaded: UInt64 = 0
        package var filesDownloaded: UInt64 = 0
        package var bytesDownloaded: UInt64 = 0
        package var downloadsAcknowledged: UInt64 = 0
        package var filesDeleted: UInt64 = 0
        package var filesExpired: UInt64 = 0
        package var filesBlocked: UInt64 = 0
        package var filesLost: UInt64 = 0
        package var uploadsOverQuota: UInt64 = 0
        package var uploadsRefused: UInt64 = 0
        package var authorizationFailures: UInt64 = 0
        package var requestsRefused: UInt64 = 0

        package init() {}

        package static let fields: [CounterField<Counters>] = [
            Field(name: "sessions_opened", help: "Connections whose TLS handshake was done.", path: \.sessionsOpened),
            Field(name: "files_created", help: "Chunks that clients announced.", path: \.filesCreated),
            Field(name: "recipients_added", help: "Recipients of announced chunks.", path: \.recipientsAdded),
            Field(name: "files_uploaded", help: "Chunks that were accepted.", path: \.filesUploaded),
            Field(name: "bytes_uploaded", help: "Bytes of accepted chunks.", path: \.bytesUploaded),
            Field(name: "files_downloaded", help: "Chunks that were sent to recipients, repetitions included.", path: \.filesDownloaded),
            Field(name: "bytes_downloaded", help: "Bytes of chunks that were sent to recipients.", path: \.bytesDownloaded),
            Field(name: "downloads_acknowledged", help: "Recipients that gave up their right to a chunk.", path: \.downloadsAcknowledged),
            Field(name: "files_deleted", help: "Chunks that their senders or the operator deleted.", path: \.filesDeleted),
            Field(name: "files_expired", help: "Chunks deleted because they had expired.", path: \.filesExpired),
            Field(name: "files_blocked", help: "Chunks that the operator blocked.", path: \.filesBlocked),
            Field(name: "files_lost", help: "Accepted chunks that were not on the disk any more.", path: \.filesLost),
            Field(
                name: "uploads_over_quota", help: "Chunks refused because the storage was full, or the client had announced too many.", path: \.uploadsOverQuota
            ),
            Field(name: "uploads_refused", help: "Chunks refused because of their size or digest, or because the disk failed.", path: \.uploadsRefused),
            Field(name: "authorization_failures", help: "Commands by the wrong client, or about chunks that are not there.", path: \.authorizationFailures),
            Field(name: "requests_refused", help: "Requests reset because the maximum of simultaneous requests was reached.", path: \.requestsRefused),
        ]
    }

    /// The counters since the router was created, and of the last days.
    package var counted: CounterStore<Counters>.Summary
    /// The start time of the process: seconds since 1970.
    package var started: Int64
    /// Connections now, those in their TLS handshake included.
    package var connections = 0
    /// Chunks now, including those that are announced and not uploaded.
    package var files = 0
    /// Chunks that can be downloaded.
    package var uploadedFiles = 0
    /// Bytes of these chunks.
    package var bytes: Int64 = 0
    /// The maximum of bytes of all chunks; nil: as many as the disk takes.
    package var quota: Int64?
    /// Bytes of the journal.
    package var journalBytes = 0
    /// Seconds until the certificate expires, negative afterwards.
    package var certificateLifetime: Int?
    /// The reason why nothing is accepted at present; nil when the disk works.
    package var storageFailure: String?
}

extension FileRouterStatistics {
    /// The statistics as one line of JSON.
    var json: String {
        func object(_ counters: Counters) -> JSONText.Value { .object(counters.named.map { ($0.name, .number($0.value)) }) }
        var members: [(String, JSONText.Value)] = [
            ("started", .text(UnixTime.text(started))), ("countedSince", .text(UnixTime.text(counted.since))), ("connections", .number(connections)),
            ("files", .number(files)), ("uploadedFiles", .number(uploadedFiles)), ("bytes", .number(bytes)), ("journalBytes", .number(journalBytes)),
            ("total", object(counted.total)), ("day", object(counted.day)), ("week", object(counted.week)), ("month", object(counted.month)),
        ]
        if let quota { members.append(("quota", .number(quota))) }
        if let certificateLifetime { members.append(("certificateLifetime", .number(certificateLifetime))) }
        if let storageFailure { members.append(("storageFailure", .text(storageFailure))) }
        return JSONText.line(members)
    }

    /// Writes the statistics in the text format of Prometheus. Names are stable, and there are no labels.
    func prometheus(at now: Int64) -> String {
        var text = MetricsText(prefix: "parley_xftp_")
        text.add(counted.total)
        text.gauge("connections", "Open connections, those in their TLS handshake included.", connections)
        text.gauge("files", "Chunks, those that are announced and not uploaded included.", files)
        text.gauge("uploaded_files", "Chunks that can be downloaded.", uploadedFiles)
        text.gauge("stored_bytes", "Bytes of chunks that can be downloaded.", bytes)
        if let quota { text.gauge("quota_bytes", "Bytes of all chunks at most.", quota) }
        text.gauge("journal_bytes", "Bytes of the journal.", journalBytes)
        text.gauge("storage_failing", "1 while nothing is accepted because the disk fails.", storageFailure == nil ? 0 : 1)
        text.addHealth(certificateLifetime: certificateLifetime, uptime: now - started)
        return text.text
    }
}
