#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Checks of the names and addresses of hosts.
enum HostText {
    private static let longestName = 253, longestLabel = 63

    /// Tells whether a text is an address of version 4 or 6, or can be the name of a host.
    static func isHost(_ text: String) -> Bool { isAddress(text) || isName(text) }

    static func isAddress(_ text: String) -> Bool {
        var four = in_addr(), six = in6_addr()
        return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
    }

    private static func isName(_ text: String) -> Bool {
        let labels = (text.hasSuffix(".") ? text.dropLast() : text[...]).split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= longestName, let last = labels.last, !last.allSatisfy({ ("0"..."9").contains($0) }) else { return false }
        return labels.allSatisfy { label in
            guard (1...longestLabel).contains(label.utf8.count), label.first != "-", label.last != "-" else { return false }
            // Letters of other scripts are resolved as they are.
            return label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        }
    }
}

extension NodeReader {
    /// Reads the address of this machine that a port is opened on.
    func listenAddress() -> String? {
        guard let text = nonEmptyString() else { return nil }
        if HostText.isHost(text) { return text }
        report(
            .badValue, "\(path) cannot be \"\(text.cut)\"",
            hint: text.hasPrefix("[")
                ? "write an address of version 6 without brackets: ::1"
                : "write an address of this machine, such as 127.0.0.1, ::1 or 0.0.0.0; the port has a key of its own")
        return nil
    }
}
