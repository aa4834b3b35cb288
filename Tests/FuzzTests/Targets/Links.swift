import SMPCrypto
import SMPProtocol
import SMPWire

/// Links that people paste, and what routers keep behind short ones.
extension FuzzTarget {
    static let link = FuzzTarget("link") {
        try Seeds.texts("links") + Seeds.bytes("links")
    } run: { input throws(FuzzFault) in
        try check(text: ConnectionRequestURI.self, input)
        try check(text: ConnectionShortLink.self, input)
        try check(text: ConnectionLink.self, input)
        try check(text: SMPServerAddress.self, input)
        try check(text: SMPServerWithAuth.self, input)
        try check(text: SMPQueueURI.self, input)
        try check(text: TransportHost.self, input)
        // What is read as text can be written as bytes that are read. They say less of the modes of old queues.
        if let text = String(validating: input, as: UTF8.self), let link = try? ConnectionRequestURI(wireString: text) {
            let bytes = link.wireBytes
            try FuzzFault.unless(
                (try? ConnectionRequestURI(wireBytes: bytes))?.request.clientData == link.request.clientData,
                "\(text) is written as \(FuzzFault.hex(bytes)), which is not read, or read as another")
        }
        try check(ConnectionShortLink.self, input)
        // A queue's mode is read whatever its version, and written in those that have it.
        if let link = try? ConnectionRequestURI(wireBytes: input) { try FuzzFault.unlessWrittenAgain(link) }
        if let queue = try? SMPQueueURI(wireBytes: input) { try FuzzFault.unlessWrittenAgain(queue) }
        if let queue = try? SMPQueueInfo(wireBytes: input) { try FuzzFault.unlessWrittenAgain(queue) }
    }

    /// The input is what is inside the encryption: the fixed data, or what the owner shows.
    static let linkData = FuzzTarget("link-data") {
        try Seeds.bytes("links")
    } run: { input throws(FuzzFault) in
        try check(FixedLinkData.self, input)
        try check(ConnectionLinkData.self, input)
        try check(UserConnectionLinkData.self, input)
        let key = LinkKey(hashing: Bytes(input.dropFirst(65)))
        let nonce = BoxNonce(padding: [1])
        guard let secrets = try? LinkSecrets(key, mode: .contact),
            let fixed = try? secrets.dataKey.seal(input, nonce: nonce, paddedTo: 16_000),
            let user = try? secrets.dataKey.seal(Bytes(input.reversed()), nonce: nonce, paddedTo: 16_000)
        else { return }
        let data = QueueLinkData(fixedData: nonce.bytes + fixed, userData: nonce.bytes + user)
        _ = try? data.open(key, mode: .contact, dataKey: secrets.dataKey)
    }
}
