import SMPWire

/// Base64 with the standard alphabet, which `INFO` uses.
enum Base64 {
    static func encode(_ bytes: Bytes) -> String {
        String(Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    }
}
