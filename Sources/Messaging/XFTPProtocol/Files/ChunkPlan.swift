import SMPWire

/// The division of an encrypted file into chunks, of the sizes that routers take (xftp.md, "Splitting the file").
package enum ChunkPlan {
    /// Bytes of the chunks that routers take.
    package static let sizes: [UInt32] = [64 << 10, 256 << 10, 1 << 20, 4 << 20]

    /// The sizes of the chunks in order.
    ///
    /// - Parameter payload: bytes that must fit: the header, the content, 8 bytes of length and 16 of the tag; 1 to
    ///   ``XFTPLimits/hardFileSize``.
    /// - Returns: nil outside of these bounds.
    package static func chunks(payload: Int64) -> [UInt32]? {
        guard payload > 0, payload <= XFTPLimits.hardFileSize else { return nil }
        let (small, big): (UInt32, UInt32) =
            if payload > threeQuarters(of: sizes[3]) {
                (sizes[2], sizes[3])
            } else if payload > threeQuarters(of: sizes[2]) {
                (sizes[1], sizes[2])
            } else {
                (sizes[0], sizes[1])
            }
        let (whole, rest) = payload.quotientAndRemainder(dividingBy: Int64(big))
        var chunks = [UInt32](repeating: big, count: Int(whole))
        if rest > threeQuarters(of: big) {
            chunks.append(big)
        } else {
            chunks += [UInt32](repeating: small, count: Int((rest + Int64(small) - 1) / Int64(small)))
        }
        return chunks
    }

    private static func threeQuarters(of size: UInt32) -> Int64 { Int64(size) * 3 / 4 }

    /// The size of one chunk that holds all, as that of a description is kept in; nil if none does.
    package static func singleChunk(payload: Int64) -> UInt32? { sizes.first { Int64($0) >= payload } }

    /// Bytes of all chunks.
    package static func total(_ chunks: [UInt32]) -> Int64 { chunks.reduce(0) { $0 + Int64($1) } }
}

/// The sizes of a file and of its encrypted form.
package struct FilePlan: Hashable, Sendable {
    package let header: FileHeader
    /// Bytes of the content.
    package let contentSize: Int64
    /// Bytes of the chunks, in order.
    package let chunks: [UInt32]

    /// - Parameter asOneChunk: whether the file must be in one chunk.
    /// - Returns: nil for a file that is too large.
    package init?(header: FileHeader, contentSize: Int64, asOneChunk: Bool = false) {
        guard contentSize >= 0, contentSize <= XFTPLimits.hardFileSize else { return nil }
        let payload = contentSize + Int64(header.wireBytes.count) + 8 + Int64(XFTPLimits.tagSize)
        guard let chunks = asOneChunk ? ChunkPlan.singleChunk(payload: payload).map({ [$0] }) : ChunkPlan.chunks(payload: payload) else { return nil }
        self.header = header
        self.contentSize = contentSize
        self.chunks = chunks
    }

    /// A plan whose chunks somebody else has chosen.
    ///
    /// - Precondition: the chunks hold the content, the header, the length and the tag.
    package init(header: FileHeader, contentSize: Int64, exactly chunks: [UInt32]) {
        self.header = header
        self.contentSize = contentSize
        self.chunks = chunks
    }

    /// Bytes of the header and the content.
    package var sizeWithHeader: Int64 { contentSize + Int64(header.wireBytes.count) }
    /// Bytes of the encrypted file.
    package var encryptedSize: Int64 { ChunkPlan.total(chunks) }
}
