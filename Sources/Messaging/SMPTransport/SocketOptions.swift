import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// When and how often TCP probes a peer that sends nothing.
package struct TCPKeepAlive: Sendable, Hashable {
    /// The range that Linux accepts for ``idleSeconds`` and ``intervalSeconds``.
    package static let secondsRange = 1...32_767
    /// The range that Linux accepts for ``probes``.
    package static let probesRange = 1...127

    /// Seconds of silence before the first probe; the nearest end of ``secondsRange`` counts.
    package var idleSeconds: Int = 30
    /// Seconds between probes; the nearest end of ``secondsRange`` counts.
    package var intervalSeconds: Int = 15
    /// Probes without an answer after which the connection is given up; the nearest end of ``probesRange`` counts.
    package var probes: Int = 4

    package init() {}

    /// Must be called on the channel's event loop.
    func apply(to channel: any Channel) throws {
        guard let options = channel.syncOptions else { return }
        try options.setOption(.socketOption(.so_keepalive), value: 1)
        for (option, value, range) in [
            (TCP_KEEPIDLE, idleSeconds, Self.secondsRange), (TCP_KEEPINTVL, intervalSeconds, Self.secondsRange),
            (TCP_KEEPCNT, probes, Self.probesRange),
        ] {
            try options.setOption(
                .tcpOption(.init(rawValue: option)), value: .init(min(max(value, range.lowerBound), range.upperBound)))
        }
    }
}

/// Limits what the kernel buffers for a peer that does not read, besides what is on its way: by default it buffers megabytes for each
/// connection, and all of them share what the machine has for TCP. What a fast peer is sent is not limited by it. Must be called on the
/// channel's event loop.
func limitUnsent(_ channel: any Channel) {
    #if os(Linux)
        // A socket that does not take the option works without it.
        try? channel.syncOptions?.setOption(.tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT)), value: .init(unsentLimit))
    #endif
}

/// Bytes.
private let unsentLimit = 8 * SMPConnection.blockSize

/// Makes the kernel acknowledge received data at once; it returns to delayed acknowledgements by itself. Must be called on the channel's
/// event loop.
///
/// Official servers write each block by itself, and their kernel holds a block back until the one before is acknowledged. As
/// Linux delays acknowledgements by 40 ms, a client that does not ask for this waits so long for the server's hello, and for
/// the second message of each two that come together.
func acknowledgeAtOnce(_ channel: any Channel) {
    // A socket that does not take the option works without it.
    try? channel.syncOptions?.setOption(.tcpOption(.init(rawValue: TCP_QUICKACK)), value: 1)
}

extension ChannelOptions.Types.WriteBufferWaterMark {
    static let smpBlocks = Self(low: SMPConnection.writeLimit / 2, high: SMPConnection.writeLimit)
    /// For many connections with strangers: data that waits beyond the kernel's own buffer is memory that a peer which does
    /// not read holds.
    static let fewBlocks = Self(low: SMPConnection.acceptedWriteLimit / 2, high: SMPConnection.acceptedWriteLimit)
}

/// Room for one read from a socket. It holds a block with what TLS adds, so that one wake-up and one read bring a block that has arrived, and
/// is made for each read anew: a connection that is idle has none.
struct BlockReadAllocator: RecvByteBufferAllocator {
    private static let capacity = 32_768
    /// The channel keeps the first buffer for as long as it lives, and this allocator has it use none twice: a small one.
    private static let firstCapacity = 512

    private var isFirst = true

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        allocator.buffer(capacity: isFirst ? Self.firstCapacity : Self.capacity)
    }

    /// - Returns: true, which has the channel ask for a new buffer instead of using its own again.
    mutating func record(actualReadBytes: Int) -> Bool {
        isFirst = false
        return true
    }
}

/// Reads as much of a stream at a time as makes the work for each read small beside that for the bytes. A buffer lives only while it is decrypted.
struct StreamReadAllocator: RecvByteBufferAllocator {
    private static let capacity = 131_072

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer { allocator.buffer(capacity: Self.capacity) }

    /// - Returns: true, which has the channel ask for a new buffer instead of using its own again.
    mutating func record(actualReadBytes: Int) -> Bool { true }
}
