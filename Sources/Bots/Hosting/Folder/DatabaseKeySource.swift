public import EncryptedSQLite
public import Foundation
internal import SystemSupport

/// The source of the key of the databases. The key is never in a file of rules or on a command line, where others can see it.
public enum DatabaseKeySource: Sendable {
    /// A key in the program.
    case key(DatabaseKey)
    /// The text of a file; a line end after it is not part of the key.
    case file(String)
    /// The value of an environment variable. Other processes of the same account can see it; a file or a credential is better.
    case environment(String)

    /// The file of a systemd credential (`LoadCredential=parley-key:…`).
    static let credential = "parley-key"

    /// Returns the source that the environment names: `PARLEY_KEY_FILE`, else `PARLEY_KEY`, else the systemd credential `parley-key`; nil when there is none.
    public static func standard(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> DatabaseKeySource? {
        if let path = environment["PARLEY_KEY_FILE"], !path.isEmpty { return .file(path) }
        if let value = environment["PARLEY_KEY"], !value.isEmpty { return .environment("PARLEY_KEY") }
        if let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty {
            let path = folder + "/" + credential
            if !WholeFile.isMissing(path) { return .file(path) }
        }
        return nil
    }

    /// Reads the key.
    ///
    /// - Throws: ``HostError`` `databaseKey` if there is no key; `StorageError` `invalidKey` if the value cannot be a key.
    public func load() throws -> DatabaseKey {
        switch self {
        case .key(let key): return key
        case .file(let path):
            var bytes: [UInt8]
            do {
                bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            } catch {
                throw HostError(.databaseKey, "cannot read the key of the databases from \(path): \(error.localizedDescription)")
            }
            if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            guard !bytes.isEmpty else { throw HostError(.databaseKey, "\(path) is empty: it must contain the key of the databases") }
            return try DatabaseKey(utf8: bytes)
        case .environment(let name):
            guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else {
                throw HostError(.databaseKey, "the environment variable \(name) is not set: it must contain the key of the databases")
            }
            return try DatabaseKey(value)
        }
    }
}
