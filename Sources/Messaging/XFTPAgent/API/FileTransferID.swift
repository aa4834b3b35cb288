import SMPAgent
package import SMPWire

/// Identifies an upload or a download: 16 random bytes.
package struct FileTransferID: AgentIdentifier {
    package let bytes: Bytes
    package init(_ bytes: Bytes) { self.bytes = bytes }
}
