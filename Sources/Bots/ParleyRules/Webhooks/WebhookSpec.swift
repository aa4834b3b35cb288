internal import Foundation
internal import Parley
internal import SMPCrypto

/// The action `webhook`: an address to which events are reported.
struct WebhookSpec: Sendable, Hashable {
    /// The host of the address, for logs: the rest of it may hold a secret.
    let host: String
    let url: String
    /// The key of signatures; nil for deliveries without one.
    let secret: RuleSecret?
    /// True if the text of the message is sent.
    let includesText: Bool

    /// Reads an address or a mapping.
    init?(_ reader: NodeReader) {
        guard let keys = reader.keys, !keys.contains("env"), !keys.contains("file") else {
            guard let found = Self.address(reader, isInsecure: false) else { return nil }
            (url, host) = found
            (secret, includesText) = (nil, true)
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: WebhookAction.mapping)
        let isInsecure = mapping.value("insecure")?.bool() ?? false
        let found = mapping.required("url", hint: "write the address that gets the events").flatMap { Self.address($0, isInsecure: isInsecure) }
        let secretNode = mapping.value("secret"), secret = secretNode.flatMap { RuleSecret($0) }
        includesText = mapping.value("text")?.bool() ?? true
        guard let found, secretNode == nil || secret != nil else { return nil }
        (url, host) = found
        self.secret = secret
    }

    /// The name of the address in stored records, which do not contain the address.
    var endpoint: String { Hash.sha256(Array(url.utf8)).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

    /// Reads an address as a text or, if it holds a secret, from where a secret comes.
    private static func address(_ reader: NodeReader, isInsecure: Bool) -> (url: String, host: String)? {
        var text: String
        if reader.keys == nil {
            guard let found = reader.nonEmptyString() else { return nil }
            text = found
        } else {
            guard let secret = RuleSecret(reader) else { return nil }
            text = secret.text
            // Without a folder, the text is only validated.
            if text.isEmpty, reader.sink.folder == nil { text = "https://webhook.invalid" }
        }
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, ["http", "https"].contains(parts.scheme?.lowercased()) else {
            reader.report(.badValue, "\(reader.path) is not an address of the web", hint: "write one that begins with https://")
            return nil
        }
        let plainHost = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        guard HostText.isHost(plainHost), (1...65_535).contains(parts.port ?? 443) else {
            reader.report(
                .badValue, "\(reader.path) has no host, or no port, that can be", hint: "write https://HOST/PATH; a port is a number from 1 to 65535")
            return nil
        }
        guard parts.user == nil, parts.password == nil else {
            reader.report(.badValue, "\(reader.path) holds a user or a password", hint: "use \"secret\", or an address from { env: NAME }")
            return nil
        }
        guard parts.scheme?.lowercased() == "https" || isLoopback(host) || isInsecure else {
            reader.report(
                .badValue, "\(reader.path): everybody on the network path to \(host) could read and change the requests",
                hint: "write https://, or add \"insecure: true\"")
            return nil
        }
        return (text, host)
    }

    static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        guard host != "localhost", host != "::1", host != "[::1]" else { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers.allSatisfy { $0 != nil } && numbers[0] == 127
    }
}
