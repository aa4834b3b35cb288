import SMPWire

/// Base64 with the alphabet of mail, as `INFO` has it.
enum Base64 {
    static func encode(_ bytes: Bytes) -> String {
        String(Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    }
}
