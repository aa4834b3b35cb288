import COpenSSL

/// The errors that OpenSSL reported about a failed call on this thread.
struct OpenSSLError: Error, Sendable, CustomStringConvertible {
    /// One line for each entry of the thread's error queue, oldest first; at most eight.
    let reasons: [String]

    var description: String { reasons.isEmpty ? "OpenSSL gave no reason" : reasons.joined(separator: "; ") }

    /// Takes everything out of this thread's error queue.
    static func take() -> OpenSSLError {
        var reasons: [String] = []
        while true {
            let code = ERR_get_error()
            guard code != 0 else { break }
            guard reasons.count < 8 else { continue }
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(code, &text, text.count)
            let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            reasons.append(String(decoding: bytes, as: UTF8.self))
        }
        return OpenSSLError(reasons: reasons)
    }

    /// Forgets what earlier calls on this thread left behind, so that the next failure is not blamed on them.
    static func clear() { ERR_clear_error() }
}
