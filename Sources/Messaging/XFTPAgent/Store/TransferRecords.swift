import SMPCrypto
import SMPProtocol
import SMPWire
import XFTPProtocol

/// An upload as the store has it.
struct UploadRecord: Sendable {
    enum Status: String, Sendable { case new, encrypted, complete, failed }

    /// A chunk, and where it is once a router has taken its announcement.
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
    /// True if the source is a file of the agent's own, removed at the end.
    var ownsSource: Bool
    var name: String
    var recipients: Int
    var key: BoxSecret
    var nonce: BoxNonce
    var asOneChunk: Bool
    var redirect: FileDescription.Redirect?
    /// Bytes and SHA-512 of the encrypted file, once it is.
    var encrypted: (size: Int64, digest: Bytes)?
    var status: Status
    var failure: FileTransferError?
    var created: Int64
    var chunks: [Chunk] = []
}

/// A download as the store has it.
struct DownloadRecord: Sendable {
    enum Status: String, Sendable { case receiving, complete, failed }

    var id: FileTransferID
    var user: Int64
    /// The description that was given.
    var description: FileDescription
    /// The description that a redirect has led to.
    var redirected: FileDescription?
    var target: LocalFile
    var approvesServers: Bool
    var status: Status
    var failure: FileTransferError?
    var created: Int64

    /// The description whose chunks are received at present.
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
