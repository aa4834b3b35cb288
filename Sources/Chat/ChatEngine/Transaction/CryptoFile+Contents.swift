package import ChatAPI
import ChatStore
internal import Foundation
import SMPCrypto
import XFTPProtocol

extension CryptoFileArguments {
    /// A new key for a file on this machine.
    package static func random() -> CryptoFileArguments { CryptoFileArguments(LocalFile.Key.random(SystemRandomSource())) }
}

extension CryptoFile {
    /// The content of the file, decrypted if it has a key.
    ///
    /// - Parameters:
    ///   - path: The full path.
    ///   - limit: Bytes at most.
    /// - Throws: `FileFormatError`: `io`, `tooLarge`, `invalidTag`; a refusal for an invalid key.
    package func contents(at path: String, upTo limit: Int) throws -> [UInt8] {
        try LocalFile(path, key: try cryptoArguments?.localKey).contents(upTo: limit)
    }

    /// Bytes of the content of the file.
    ///
    /// - Parameter path: The full path.
    /// - Throws: `FileFormatError` `io`; a refusal for an invalid key.
    package func contentSize(at path: String) throws -> Int64 { try LocalFile(path, key: try cryptoArguments?.localKey).contentSize() }

    /// Writes the content of the file, decrypted if it has a key, to a new file, piece by piece. What is at the new path is replaced once the content is known
    /// to be whole.
    ///
    /// - Throws: `FileFormatError`: `io`, `invalidTag`; a refusal for an invalid key.
    package func write(from path: String, to target: String) throws {
        let partial = target + ".part"
        do {
            var reader = try LocalFileReader(LocalFile(path, key: try cryptoArguments?.localKey))
            var writer = try LocalFileWriter(LocalFile(partial), replaces: true)
            while let piece = try reader.next() { try writer.write(piece) }
            try reader.finish()
            try writer.finish()
        } catch {
            try? FileManager.default.removeItem(atPath: partial)
            throw error
        }
        guard rename(partial, target) == 0 else { throw FileFormatError(.io, "cannot write \(target)") }
    }
}
