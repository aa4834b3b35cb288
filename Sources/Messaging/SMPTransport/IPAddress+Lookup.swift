#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension IPAddress {
    /// The addresses of a name by the system's resolver; empty if it has none. Blocks until name servers have answered or the lookup has timed out.
    package static func lookUp(_ name: String) -> [IPAddress] {
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_protocol = Int32(IPPROTO_TCP)
        var result: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &result) == 0 else { return [] }
        defer { freeaddrinfo(result) }
        var addresses: [IPAddress] = []
        var next = result
        while let info = next?.pointee {
            if let address = address(of: info), !addresses.contains(address) { addresses.append(address) }
            next = info.ai_next
        }
        return addresses
    }

    private static func address(of info: addrinfo) -> IPAddress? {
        var text = [CChar](repeating: 0, count: 64)
        guard info.ai_family == AF_INET || info.ai_family == AF_INET6,
            getnameinfo(info.ai_addr, info.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        return IPAddress(parsing: String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
}
