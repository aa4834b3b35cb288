internal import ArgumentParser

/// A port as a person types it.
enum PortArgument {
    /// Reads a port.
    ///
    /// - Throws: `ValidationError` with the range.
    static func read(_ text: String) throws -> UInt16 {
        guard let port = UInt16(text) else { throw ValidationError("a port is a number from 1 to 65535, or 0 for any that is free") }
        return port
    }
}
