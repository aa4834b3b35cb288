package import ChatAPI
import XFTPProtocol

extension CryptoFile {
    /// The content of the file, decrypted if it has a key.
    ///
    /// - Parameters:
    ///   - path: The full path.
    ///   - limit: Bytes at most.
    /// - Throws: `FileFormatError`: `io`, `tooLarge`, `invalidTag`; a refusal for a key that is none.
    package func contents(at path: String, upTo limit: Int) throws -> [UInt8] {
        try LocalFile(path, key: try cryptoArguments?.localKey).contents(upTo: limit)
    }
}
