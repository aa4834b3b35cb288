package import ChatProtocol

/// A part of a file's description, as a message carries it. `XFTPProtocol.FileDescription` is the whole.
package typealias FileDescriptionPart = ChatProtocol.FileDescription

/// Bounds of files in chats.
package enum FileLimits {
    /// Bytes of a file that can be sent: 1 GiB, as in official clients.
    package static let sentFile: Int64 = 1 << 30
    /// Bytes of a file that can be uploaded without a message: 5 GiB.
    package static let uploadedFile: Int64 = 5 << 30
    /// Bytes of an image that the console sends.
    package static let image: Int64 = 522_240
    /// Bytes that an encrypted file may have more than its content: its header and the padding of its last chunk of 4 MiB, twice that as clients may choose
    /// other chunks.
    package static let encryptionOverhead: Int64 = 8 << 20
    /// Bytes of a chunk of a file that travels inside messages; all transfers report that size.
    package static let reportedChunk: Int64 = 15_780
    /// Chunks of a file inside messages that is accepted, and of a voice message that is received without that.
    package static let inlineChunks: Int64 = 8
    /// Chunks of a file inside messages that is accepted with `inline=on`.
    package static let requestedInlineChunks: Int64 = 15
    /// Seconds for which routers keep files, after which their descriptions are of no use.
    package static let routerPeriod: Int64 = 2 * 86_400
    /// Seconds after which a file that is marked to be received is not received any more.
    package static let markedPeriod: Int64 = 2 * 86_400

    /// The number of descriptions that are made for recipients: at least 4, and a power of two, so that it does not tell how many there are.
    package static func descriptions(for recipients: Int) -> Int {
        var count = 4
        while count < recipients { count *= 2 }
        return min(count, 10_000)
    }
}
