import SMPCrypto
import SMPProtocol
import SMPWire
import XFTPProtocol

/// An upload in the store.
struct UploadRecord: Sendable {
    enum Status: String, Sendable { case new, encrypted, complete, failed }

    /// A chunk, and its router once that has accepted the announcement.
    struct Chunk: Sendable {
        struct Replica: Sendable {
            var server: XFTPServerAddress
            var id: EntityID
            var key: PrivateAuthKey
            var recipients: [(id: EntityID, key: PrivateAuthKey)]
        }

        var number: Int
        var offset: Int64
        var size: UInt32
        var digest: Bytes
        var replica: Replica?
        var isUploaded = false
    }

    var id: FileTransferID
    var user: Int64
    var source: LocalFile
    /// True if the source is a file of the agent, which is removed at the end.
    var ownsSource: Bool
    var name: String
    var recipients: Int
    var key: BoxSecret
    var nonce: BoxNonce
    var asOneChunk: Bool
    var redirect: FileDescription.Redirect?
    /// The size in bytes and the SHA-512 of the encrypted file; nil before the encryption.
    var encrypted: (size: Int64, digest: Bytes)?
    var status: Status
    var failure: FileTransferError?
    var created: Int64
    var chunks: [Chunk] = []
}

/// A download in the store.
struct DownloadRecord: Sendable {
    enum Status: String, Sendable { case receiving, complete, failed }

    var id: FileTransferID
    var user: Int64
    /// The given description.
    var description: FileDescription
    /// The description that a redirect has led to.
    var redirected: FileDescription?
    var target: LocalFile
    var approvesServers: Bool
    var status: Status
    var failure: FileTransferError?
    var created: Int64

    /// The description whose chunks are being received.
    var current: FileDescription { redirected ?? description }
}

/// A chunk to be deleted from its router.
struct DeletionRecord: Sendable {
    var number: Int64
    var user: Int64
    var server: XFTPServerAddress
    var id: EntityID
    var key: PrivateAuthKey
    var created: Int64
}
