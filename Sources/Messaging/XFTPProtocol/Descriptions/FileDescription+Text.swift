import SMPCrypto
import SMPProtocol
package import SMPWire

extension FileDescription {
    /// Bytes of a description at most: one of a file of 5 GiB in chunks of 4 MiB has a tenth of that.
    package static let maximumTextLength = 2 << 20
    /// Replicas of one chunk. Clients upload one.
    package static let maximumReplicas = 16

    /// The description as YAML, byte for byte as official clients write it.
    package var text: String {
        var lines = [
            "chunkSize: \(Self.quotedIfNumeric(FileSizeText.text(Int64(chunkSize))))", "digest: \(Self.base64(digest))",
            "key: \(Self.base64(key.secret.bytes))", "nonce: \(Self.quotedIfNumeric(nonce.wireString))", "party: \(party.rawValue)",
        ]
        if let redirect { lines += ["redirect:", "  digest: \(Self.base64(redirect.digest))", "  size: \(redirect.size)"] }
        lines.append(chunks.isEmpty ? "replicas: []" : "replicas:")
        for (server, replicas) in replicasByServer {
            lines.append("- chunks:")
            lines += replicas.map { "  - \($0)" }
            lines.append("  server: \(server.wireString)")
        }
        lines.append("size: \(Self.quotedIfNumeric(FileSizeText.text(size)))")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func base64(_ bytes: Bytes) -> String { Base64URL.encode(bytes) }

    /// A text that YAML would take for a number, or for the beginning of a document, is quoted.
    private static func quotedIfNumeric(_ text: String) -> String {
        let body = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : Substring(text)
        let isNumber =
            body.first.map { $0.isNumber || $0 == "." } == true && body.allSatisfy { $0.isNumber || ".eE+-_".contains($0) }
            || body.hasPrefix("0x") || body.hasPrefix("0o")
        return isNumber || text.hasPrefix("---") ? "'\(text)'" : text
    }

    /// The lines of each server, in the order of servers that official clients have: by kind of host, host, port and fingerprint.
    private var replicasByServer: [(XFTPServerAddress, [String])] {
        var order: [XFTPServerAddress] = []
        var lines: [XFTPServerAddress: [String]] = [:]
        for chunk in chunks {
            for (index, replica) in chunk.replicas.enumerated() {
                if lines[replica.server] == nil { order.append(replica.server) }
                lines[replica.server, default: []].append(line(chunk, replica, isFirst: index == 0))
            }
        }
        return order.sorted { $0.sortingKey.lexicographicallyPrecedes($1.sortingKey) }.map { ($0, lines[$0] ?? []) }
    }

    /// The first replica of a chunk has the digest of the chunk, and its size if it is not the default.
    private func line(_ chunk: Chunk, _ replica: Replica, isFirst: Bool) -> String {
        var parts = ["\(chunk.number)", replica.id.wireString, Self.base64(replica.key.pkcs8.bytes)]
        if isFirst {
            parts.append(Self.base64(chunk.digest))
            if chunk.size != chunkSize { parts.append(FileSizeText.text(Int64(chunk.size))) }
        }
        return parts.joined(separator: ":")
    }

    /// Reads a description. Keys that are not known are passed over.
    ///
    /// - Throws: ``WireError``: what is not a description, or one that is not ``validate()``.
    package init(parsing text: String) throws(WireError) {
        guard text.utf8.count <= Self.maximumTextLength else {
            throw WireError(.tooLong, "a description of at most \(Self.maximumTextLength) bytes")
        }
        let members = try YAMLMembers(try YAMLNode(parsing: text))
        guard let party = Party(rawValue: try members.text("party")) else { throw members.error("party is recipient or sender") }
        guard let secret = try? BoxSecret(SecretBytes(try members.bytes("key"))) else { throw members.error("key has 32 bytes") }
        guard let nonce = try? BoxNonce(try members.bytes("nonce")) else { throw members.error("nonce has 24 bytes") }
        guard let chunkSize = UInt32(exactly: try members.size("chunkSize")) else { throw members.error("chunkSize is below 4gb") }
        var redirect: Redirect?
        if let node = members.optional("redirect") {
            let inner = try YAMLMembers(node)
            redirect = Redirect(size: try inner.number("size"), digest: try inner.bytes("digest"))
        }
        self.init(
            party: party, size: try members.size("size"), digest: try members.bytes("digest"), key: secret, nonce: nonce, chunkSize: chunkSize,
            chunks: try Self.chunks(members, chunkSize), redirect: redirect)
        try validate()
    }

    private static func chunks(_ members: YAMLMembers, _ chunkSize: UInt32) throws(WireError) -> [Chunk] {
        var chunks: [Int: (size: UInt32?, digest: Bytes?, replicas: [Replica])] = [:]
        for item in try members.items("replicas") {
            let group = try YAMLMembers(item)
            let server: XFTPServerAddress
            do { server = try XFTPServerAddress(wireString: try group.text("server")) } catch { throw group.error("server: \(error.subject)") }
            for line in try group.items("chunks") {
                let (number, replica, digest, size) = try replica(line, server)
                // Removed, so that its replicas are not copied with each that is added.
                var chunk = chunks.removeValue(forKey: number) ?? (nil, nil, [])
                guard chunk.replicas.count < Self.maximumReplicas else {
                    throw WireError(.tooLong, "line \(line.line): at most \(Self.maximumReplicas) replicas of chunk \(number)")
                }
                // Replicas of one chunk must agree.
                guard digest == nil || chunk.digest == nil || chunk.digest == digest, size == nil || chunk.size == nil || chunk.size == size else {
                    throw group.error("replicas of chunk \(number) that have one size and one digest")
                }
                chunk.digest = chunk.digest ?? digest
                chunk.size = chunk.size ?? size
                chunk.replicas.append(replica)
                chunks[number] = chunk
            }
        }
        var result: [Chunk] = []
        for (number, chunk) in chunks.sorted(by: { $0.key < $1.key }) {
            guard let digest = chunk.digest else { throw members.error("a digest of chunk \(number)") }
            result.append(Chunk(number: number, size: chunk.size ?? chunkSize, digest: digest, replicas: chunk.replicas))
        }
        return result
    }

    /// `number:id:key[:digest][:size]`.
    private static func replica(
        _ node: YAMLNode, _ server: XFTPServerAddress
    ) throws(WireError) -> (number: Int, Replica, digest: Bytes?, size: UInt32?) {
        func wrong(_ subject: String) -> WireError { WireError(.invalidValue, "line \(node.line): \(subject)") }
        guard case .scalar(let text, _, _) = node else { throw wrong("a chunk is a text") }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (3...5).contains(parts.count) else { throw wrong("a chunk is number:id:key, and a digest and a size") }
        guard let number = Int(parts[0]), number >= 0, parts[0].first != "+", parts[0].first != "-" else { throw wrong("the number of a chunk") }
        guard let id = Base64URL.decode(parts[1]), !id.isEmpty, id.count <= 255 else { throw wrong("the id of a chunk") }
        guard let der = Base64URL.decode(parts[2]), let key = try? PrivateAuthKey(pkcs8: der) else { throw wrong("the key of a chunk") }
        var digest: Bytes?
        var size: UInt32?
        // Either may be missing: what has a unit, or is short, is a size.
        for (index, part) in parts.dropFirst(3).enumerated() {
            if index == 0, let bytes = Base64URL.decode(part), bytes.count == 32 {
                digest = bytes
            } else if size == nil, index == parts.count - 4, let bytes = FileSizeText.bytes(String(part)).flatMap({ UInt32(exactly: $0) }) {
                size = bytes
            } else {
                throw wrong("the digest or the size of a chunk")
            }
        }
        return (number, Replica(server: server, id: EntityID(id), key: key), digest, size)
    }
}

/// The members of a mapping with the types that descriptions give them.
private struct YAMLMembers {
    private let members: [(key: String, value: YAMLNode)]
    private let line: Int

    init(_ node: YAMLNode) throws(WireError) {
        guard case .mapping(let members, let line) = node else { throw WireError(.invalidValue, "line \(node.line): keys and values") }
        self.members = members
        self.line = line
    }

    func error(_ subject: String) -> WireError { WireError(.invalidValue, "below line \(line): \(subject)") }

    func optional(_ key: String) -> YAMLNode? {
        guard let node = members.first(where: { $0.key == key })?.value else { return nil }
        switch node {
        case .null: return nil
        case .scalar("null", isPlain: true, _), .scalar("~", isPlain: true, _): return nil
        default: return node
        }
    }

    private func required(_ key: String) throws(WireError) -> YAMLNode {
        guard let node = optional(key) else { throw error("\(key) is missing") }
        return node
    }

    func text(_ key: String) throws(WireError) -> String {
        guard case .scalar(let text, _, _) = try required(key) else { throw error("\(key) is a text") }
        return text
    }

    func bytes(_ key: String) throws(WireError) -> Bytes {
        guard let bytes = Base64URL.decode(try text(key)) else { throw error("\(key) is base64url") }
        return bytes
    }

    /// A size is a text: a plain number is one of another type.
    func size(_ key: String) throws(WireError) -> Int64 {
        guard case .scalar(let text, let isPlain, _) = try required(key), !isPlain || Int64(text) == nil, let bytes = FileSizeText.bytes(text) else {
            throw error("\(key) is a text such as 64kb")
        }
        return bytes
    }

    func number(_ key: String) throws(WireError) -> Int64 {
        guard case .scalar(let text, isPlain: true, _) = try required(key), let number = Int64(text), number >= 0 else {
            throw error("\(key) is a number")
        }
        return number
    }

    func items(_ key: String) throws(WireError) -> [YAMLNode] {
        guard case .sequence(let items, _) = try required(key) else { throw error("\(key) is a list") }
        return items
    }
}

extension ServerAddress {
    /// Bytes that sort as official clients sort servers.
    fileprivate var sortingKey: Bytes {
        var key = Bytes()
        for host in hosts {
            switch host {
            case .ipv4(let a, let b, let c, let d): key += [1, a, b, c, d]
            case .ipv6(let bytes): key += [2] + bytes
            case .onion(let name): key += [3] + Bytes(name.utf8) + [0]
            case .domain(let name): key += [4] + Bytes(name.utf8) + [0]
            }
        }
        key.append(0)
        return key + Bytes((port.map { String($0) } ?? "").utf8) + [0] + keyHash.bytes
    }
}
