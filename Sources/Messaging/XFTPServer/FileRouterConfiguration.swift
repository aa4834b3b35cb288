package import RouterSupport
package import SMPProtocol
package import SMPWire
import XFTPProtocol

/// The settings of a file router.
package struct FileRouterConfiguration: CommonRouterSettings {
    /// The folder of certificates, journal and chunks, which is created if necessary. Only the owner can read it.
    package var folder: String
    /// The address to listen on.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 takes any free one.
    package var port = 443
    /// The hosts in the router's address; empty: the one listened on, or 127.0.0.1 if that is all interfaces.
    package var advertisedHosts: [TransportHost] = []
    /// True if chunks may be announced.
    package var allowsNewFiles = true
    /// The password for announcing chunks; nil for none.
    package var basicAuth: BasicAuth?
    /// The maximum of bytes of all chunks; nil: as many as the disk takes.
    package var quota: Int64?
    /// The time after which chunks are deleted, in whole hours; nil: never.
    package var fileLifetime: Duration? = .seconds(48 * 3_600)
    /// The interval between searches for expired chunks.
    package var expirySweepInterval: Duration = .seconds(3_600)
    /// The maximum number of chunks, including those that are announced and not uploaded.
    package var maximumFiles = 1_000_000
    /// The maximum number of recipients of a chunk.
    package var maximumRecipients = 10_000
    /// The maximum number of recipients of all chunks. One takes some 210 bytes of memory, and 75 of the journal.
    package var maximumRecipientsInTotal = 4_000_000
    /// The maximum number of connections.
    package var maximumConnections = 5_000
    /// The maximum number of simultaneous requests, of which an eighth may come from one address. Further ones are reset, and clients repeat them. A
    /// request holds up to 384 KiB that its client has sent or not read.
    package var maximumRequests = 2_048
    /// The maximum number of connections from one address (one /64 of IPv6); nil: no limit for an address. Limits for an address do not apply to
    /// clients on the router's own machine.
    package var maximumConnectionsPerAddress: Int? = 200
    /// The number of chunks that may be announced from one address at once, and again in each hour; nil: any number.
    package var filesPerAddressAndHour: Int? = 10_000
    /// The maximum number of simultaneous downloads of one address; further ones wait. nil: any number.
    package var downloadsPerAddress: Int? = 64
    /// The maximum number of connections in their TLS handshake; beyond it, a new one replaces the oldest.
    package var maximumHandshakes = 1_000
    /// The time limit of the TLS handshake, and again of the protocol's handshake.
    package var handshakeTimeout: Duration = .seconds(30)
    /// The time limit of a request with its chunk and its response.
    package var transferTimeout: Duration = .seconds(300)
    /// The time after which a connection without requests is closed; nil: never.
    package var idleTimeout: Duration? = .seconds(6 * 3_600)
    /// The lifetime of a certificate in days; nil: unlimited.
    package var certificateDays: Int?
    /// True if an operator can talk to the router on a socket in the data folder.
    package var hasControl = false
    /// The address of the metrics endpoint over HTTP; nil for none.
    package var metrics: MetricsAddress?
    /// The durability of a chunk's attributes when a command is answered. A chunk itself is always on the disk before it is accepted.
    package var durability: Durability = .always
    /// The size of a journal segment in bytes.
    package var segmentSize = 4 << 20
    /// The size of the journal in bytes from which it is rewritten without obsolete records.
    package var clearingThreshold = 8 << 20
    /// The offered versions of the protocol.
    package var versions = XFTPVersion.offered

    package init(folder: String) { self.folder = folder }

    /// - Throws: ``RouterError`` `invalidConfiguration`.
    func validate() throws(RouterError) {
        try checkCommonSettings()
        let check = Self.check
        let times = Duration.milliseconds(1)...Duration.seconds(36_500 * 86_400)
        try check(quota.map { $0 >= Int64(ChunkPlan.sizes[0]) } ?? true, "the quota must have room for a chunk of 64 KiB")
        try check(fileLifetime.map { $0 >= .seconds(3_600) && times.contains($0) } ?? true, "the lifetime of chunks must be from 1 hour to 36500 days")
        try check(times.contains(expirySweepInterval), "the interval between searches for old chunks must be from 1 ms to 36500 days")
        try check(maximumFiles > 0 && maximumRecipients > 0, "the maximum numbers of chunks and of recipients must be at least 1")
        try check(maximumRecipientsInTotal > 0 && maximumRequests > 0, "the maximum numbers of all recipients and of requests must be at least 1")
        try check(filesPerAddressAndHour.map { (1...1_000_000).contains($0) } ?? true, "chunks from an address in an hour must be from 1 to 1000000")
        try check(downloadsPerAddress.map { $0 > 0 } ?? true, "the maximum number of downloads from an address must be at least 1")
        try check(times.contains(handshakeTimeout) && times.contains(transferTimeout), "times of handshakes and transfers must be from 1 ms to 36500 days")
        try check(versions.intersection(XFTPVersion.offered) == versions, "versions \(versions) are offered, but only \(XFTPVersion.offered) are known")
    }
}
