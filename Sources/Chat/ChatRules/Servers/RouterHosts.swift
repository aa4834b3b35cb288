package import SMPProtocol
import SMPWire

/// The hosts that the address of a server of any protocol names: `smp://fingerprint@host,host:port`.
package enum RouterHosts {
    /// - Returns: nil if it is not such an address.
    package static func parse(_ address: String) -> [TransportHost]? {
        let parts = address.split(separator: "://", maxSplits: 1)
        guard parts.count == 2, let at = parts[1].firstIndex(of: "@") else { return nil }
        let fingerprint = parts[1][..<at].prefix { $0 != ":" }
        guard Base64URL.decode(String(fingerprint))?.count == 32 else { return nil }
        var names = parts[1][parts[1].index(after: at)...].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        // An IPv6 address is in brackets and contains colons.
        if let last = names.last, let colon = last.lastIndex(of: ":"), !last[colon...].contains("]") {
            guard UInt16(last[last.index(after: colon)...]) != nil else { return nil }
            names[names.count - 1] = String(last[..<colon])
        }
        let hosts = names.compactMap { try? TransportHost(parsing: $0) }
        return hosts.isEmpty || hosts.count != names.count ? nil : hosts
    }
}

extension TransportHost {
    /// Tells whether it is the domain or one below it.
    package func belongs(to domain: String) -> Bool {
        guard case .domain(let name) = self else { return false }
        return name == domain || name.hasSuffix("." + domain)
    }
}
