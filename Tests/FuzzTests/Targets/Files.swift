import Foundation
import SMPCrypto
import SMPProtocol
import SMPWire
import XFTPProtocol

/// The messages between clients and file routers, and those of peers about files.
extension FuzzTarget {
    /// A description, as text and in a link.
    static let fileDescription = FuzzTarget("file-description", maximumLength: 4_096) {
        try Seeds.texts("xftp").filter { $0.count > 256 && $0.count < 4_096 }
    } run: { input throws(FuzzFault) in
        let text = String(decoding: input, as: UTF8.self)
        if let link = try? FileDescriptionLink(wireString: text) {
            let written = link.wireString
            try FuzzFault.unless((try? FileDescriptionLink(wireString: written)) == link, "a link is written as \(written) and not read again")
        }
        guard let description = try? FileDescription(parsing: text) else { return }
        let written = description.text
        // Replicas are grouped by server, so that their order may change once, and the digest goes with the first.
        guard let again = try? FileDescription(parsing: written) else { throw FuzzFault("a description is written as \(written), which is not read") }
        try FuzzFault.unless(Set(again.chunks.map(\.digest)) == Set(description.chunks.map(\.digest)), "a description is read as another")
        let last = try? FileDescription(parsing: again.text)
        try FuzzFault.unless(last?.text == again.text, "a description is written as \(again.text) and then as \(last?.text ?? "nothing")")
    }

    /// A block with a command or an answer, and the messages of the handshake. The first byte says the version.
    static let fileTransmission = FuzzTarget("file-transmission", maximumLength: 16_384) {
        try Seeds.bytes("xftp").map { [2] + $0 }
    } run: { input throws(FuzzFault) in
        let version = UInt16(input.first ?? 0) % 3 + 1
        let bytes = Bytes(input.dropFirst())
        let context = TransmissionContext(version: version, sessionID: Bytes(repeating: 1, count: 32))
        let block = Bytes(bytes.prefix(XFTPLimits.blockSize)) + Bytes(repeating: 35, count: max(0, XFTPLimits.blockSize - bytes.count))
        for candidate in [block, (try? XFTPBlock.pad(bytes)) ?? []] {
            if let command = try? XFTPBlock.decode(candidate, as: XFTPCommand.self, in: context) { _ = command.authorizedData }
            _ = try? XFTPBlock.decode(candidate, as: XFTPResponse.self, in: context)
            _ = try? XFTPSessionParameters.respond(to: candidate, keyHash: .none, sessionID: Bytes(repeating: 1, count: 32))
        }
        if let command = try? XFTPCommand(parsing: bytes, version: version) {
            let written = command.bytes(version: version)
            try FuzzFault.unless((try? XFTPCommand(parsing: written, version: version)) == command, "\(command) is not read again")
        }
        if let response = try? XFTPResponse(parsing: bytes, version: version) {
            let written = response.bytes(version: version)
            let again = try? XFTPResponse(parsing: written, version: version)
            try FuzzFault.unless(again?.bytes(version: version) == written, "\(response) is not read again")
        }
        try check(XFTPServerHello.self, bytes)
        try check(XFTPClientHello.self, bytes)
        try check(XFTPClientHandshake.self, bytes)
    }

    /// An encrypted file, in pieces whose size the first byte says, and the same as a file of this machine.
    static let fileContent = FuzzTarget("file-content", maximumLength: 2_048) {
        try Seeds.bytes("crypto_file").map { [64] + $0 } + fileSeeds()
    } run: { input throws(FuzzFault) in
        let step = max(1, Int(input.first ?? 1))
        let bytes = Bytes(input.dropFirst())
        guard let (key, nonce) = fileKey, var decryptor = try? FileDecryptor(size: Int64(bytes.count), key: key, nonce: nonce) else { return }
        var content = 0
        var isRead = true
        for start in stride(from: 0, to: bytes.count, by: step) {
            guard let piece = try? decryptor.decrypt(Bytes(bytes[start..<min(start + step, bytes.count)])) else {
                isRead = false
                break
            }
            content += piece.count
        }
        try FuzzFault.unless(content <= bytes.count, "\(content) bytes of content are in \(bytes.count) bytes")
        if isRead { do { try decryptor.finish() } catch { isRead = false } }
        _ = try? FileHeader(wireBytes: bytes)
        let whole = (try? key.openWithTagAtEnd(bytes, nonce: nonce)) != nil
        try FuzzFault.unless(!isRead || whole, "a file whose tag is wrong is taken")
        try readLocally(bytes, key, nonce, isValid: whole)
    }

    private static let fileKey = (try? BoxSecret(SecretBytes(Bytes(repeating: 1, count: 32)))).flatMap { key in
        (try? BoxNonce(Bytes(repeating: 2, count: 24))).map { (key, $0) }
    }

    private static func fileSeeds() -> [Bytes] {
        guard let (key, nonce) = fileKey, let header = FileHeader(name: "a.txt") else { return [] }
        return [0, 10, 400].compactMap { count in
            let plan = FilePlan(header: header, contentSize: Int64(count), exactly: [600])
            var encryptor = FileEncryptor(plan, key: key, nonce: nonce)
            var file = encryptor.begin()
            var content = Bytes(repeating: 7, count: count)
            guard (try? content.withUnsafeMutableBytes { try encryptor.encrypt(inPlace: $0) }) != nil else { return nil }
            file += content
            while let padding = try? encryptor.padding() { file += padding }
            return [200] + file + encryptor.tag()
        }
    }

    private static func readLocally(_ bytes: Bytes, _ key: BoxSecret, _ nonce: BoxNonce, isValid: Bool) throws(FuzzFault) {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("parley-fuzz-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        guard (try? Data(bytes).write(to: URL(fileURLWithPath: path))) != nil else { throw FuzzFault("no file can be made at \(path)") }
        let read = try? LocalFile(path, key: .init(key: key, nonce: nonce)).contents(upTo: 4_096)
        try FuzzFault.unless((read != nil) == isValid, "a file of this machine is \(read == nil ? "refused" : "taken") and must not be")
        try FuzzFault.unless((read ?? []).count == (isValid ? bytes.count - 16 : 0), "a file of this machine has another size")
    }
}
