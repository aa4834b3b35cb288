package import SMPWire

/// The versions of the file protocol (xftp.md).
package enum XFTPVersion {
    package static let initial: UInt16 = 1
    /// Commands may be authorised by an authenticator instead of a signature.
    package static let authenticatedCommands: UInt16 = 2
    /// Routers say that a file is blocked.
    package static let blockedFiles: UInt16 = 3

    /// The versions that clients and routers offer.
    package static let offered = VersionRange(initial...blockedFiles)
}

/// Sizes that all parts of the file protocol agree on.
package enum XFTPLimits {
    /// The size of the block of every command and answer in bytes.
    package static let blockSize = 16_384
    /// Recipients that one command names at most: their keys fit a block. The same number as official clients use.
    package static let recipientsPerCommand = 200
    /// The largest file that a person may send, in bytes. Clients check it and say so.
    package static let softFileSize: Int64 = 1 << 30
    /// The largest file for which chunks are planned or received, in bytes.
    package static let hardFileSize: Int64 = 5 << 30
    /// Bytes of the tag at the end of an encrypted file or chunk.
    package static let tagSize = 16
}
