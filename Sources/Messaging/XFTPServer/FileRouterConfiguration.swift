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
    /// Bytes of all chunks at most; nil: as much as the disk takes.
    package var quota: Int64?
    /// After how long chunks are deleted; nil: never. Whole hours are counted.
    package var fileLifetime: Duration? = .seconds(48 * 3_600)
    /// The interval between searches for expired chunks.
    package var expirySweepInterval: Duration = .seconds(3_600)
    /// Chunks at most, those that are announced and not uploaded included.
    package var maximumFiles = 1_000_000
    /// Recipients of a chunk at most.
    package var maximumRecipients = 10_000
    /// Recipients of all chunks at most. One takes some 210 bytes of memory, and 75 of the journal.
    package var maximumRecipientsInTotal = 4_000_000
    /// Connections at most.
    package var maximumConnections = 5_000
    /// Requests that are answered at a time at most; an eighth of them may come from one address. Further ones are reset, and clients repeat them. One
    /// holds up to 384 KiB of what its client has sent or does not read.
    package var maximumRequests = 2_048
    /// Connections at most from one address (one /64 of IPv6); nil: as many as there are. Limits for an address do not concern clients on the
    /// router's own machine.
    package var maximumConnectionsPerAddress: Int? = 200
    /// Chunks that may be announced from one address in an hour, and as many at once; nil: any number.
    package var filesPerAddressAndHour: Int? = 10_000
    /// Downloads of one address at a time; further ones wait for their turn. nil: any number.
    package var downloadsPerAddress: Int? = 64
    /// Connections in their TLS handshake at most; the oldest gives way to a new one.
    package var maximumHandshakes = 1_000
    /// The time limit of TLS, and again of the handshake of the protocol.
    package var handshakeTimeout: Duration = .seconds(30)
    /// The time limit of a request with its chunk and its response.
    package var transferTimeout: Duration = .seconds(300)
    /// After how long a connection without requests is closed; nil: never.
    package var idleTimeout: Duration? = .seconds(6 * 3_600)
    /// For how many days a certificate is issued; nil: without end.
    package var certificateDays: Int?
    /// True if an operator can talk to the router on a socket in the data folder.
    package var hasControl = false
    /// The address of the metrics endpoint over HTTP; nil for none.
    package var metrics: MetricsAddress?
    /// The guarantee behind an answer about a chunk's attributes. Chunks themselves are on the disk before they are accepted, whatever it is.
    package var durability: Durability = .always
    /// Bytes of a journal segment.
    package var segmentSize = 4 << 20
    /// Bytes of the journal from which it is written anew without what is not needed.
    package var clearingThreshold = 8 << 20
    /// Versions of the protocol that are offered.
    package var versions = XFTPVersion.offered

    package init(folder: String) { self.folder = folder }

    /// - Throws: ``RouterError`` `invalidConfiguration`.
    func validate() throws(RouterError) {
        try checkCommonSettings()
        let check = Self.check
        let times = Duration.milliseconds(1)...Duration.seconds(36_500 * 86_400)
        try check(quota.map { $0 >= Int64(ChunkPlan.sizes[0]) } ?? true, "the quota must have room for a chunk of 64 KiB")
        try check(fileLifetime.map { $0 >= .seconds(3_600) && times.contains($0) } ?? true, "chunks must live for an hour at least")
        try check(times.contains(expirySweepInterval), "old chunks must be looked for once in 36500 days")
        try check(maximumFiles > 0 && maximumRecipients > 0, "there must be room for a chunk and a recipient")
        try check(maximumRecipientsInTotal > 0 && maximumRequests > 0, "there must be room for a recipient and a request")
        try check(filesPerAddressAndHour.map { (1...1_000_000).contains($0) } ?? true, "chunks from an address: 1 to 1000000 in an hour")
        try check(downloadsPerAddress.map { $0 > 0 } ?? true, "there must be room for a download from an address")
        try check(times.contains(handshakeTimeout) && times.contains(transferTimeout), "times must be from a millisecond to 36500 days")
        try check(versions.intersection(XFTPVersion.offered) == versions, "versions \(versions) are offered, but only \(XFTPVersion.offered) are known")
    }
}
