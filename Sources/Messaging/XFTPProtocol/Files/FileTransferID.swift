package import SMPWire

/// The identifier of an upload or a download at this client: 16 random bytes.
package struct FileTransferID: Hashable, Sendable {
    package let bytes: Bytes
    package init(_ bytes: Bytes) { self.bytes = bytes }
}
