/// Commands about databases and archives. Most need a stopped core.
public enum DatabaseCommand: Sendable, Hashable {
    /// Writes databases and files into an archive; nil chooses a name in the current folder.
    case exportArchive(ArchiveConfig?)
    /// Replaces databases and files by those of an archive.
    case importArchive(ArchiveConfig)
    /// Deletes databases and files.
    case deleteStorage
    /// Encrypts, decrypts, or changes the key.
    case changeEncryption(DatabaseEncryptionConfig)
    /// Checks a key.
    case testKey(String)
    /// Queries that took long.
    case slowQueries
    /// Runs SQL on the database of chats.
    case chatSQL(String)
    /// Runs SQL on the database of the agent.
    case agentSQL(String)
}

extension DatabaseCommand {
    var commandString: String {
        switch self {
        case .exportArchive(let config?): "/_db export \(CommandText.json(config))"
        case .exportArchive(nil): "/db export"
        case .importArchive(let config): "/_db import \(CommandText.json(config))"
        case .deleteStorage: "/_db delete"
        case .changeEncryption(let config): "/_db encryption \(CommandText.json(config))"
        case .testKey(let key): "/db test key \(key)"
        case .slowQueries: "/sql slow"
        case .chatSQL(let query): "/sql chat \(query)"
        case .agentSQL(let query): "/sql agent \(query)"
        }
    }

    static let forms: [CommandForm] = [
        CommandForm("/_db export ") { r throws(CommandMismatch) in .database(.exportArchive(try r.json())) },
        CommandForm("/db export") { _ in .database(.exportArchive(nil)) },
        CommandForm("/_db import ") { r throws(CommandMismatch) in .database(.importArchive(try r.json())) },
        CommandForm("/_db delete") { _ in .database(.deleteStorage) },
        CommandForm("/_db encryption ") { r throws(CommandMismatch) in .database(.changeEncryption(try r.json())) },
        CommandForm("/db encrypt ") { r throws(CommandMismatch) in .change(from: "", to: try r.databaseKey()) },
        CommandForm("/db key ") { r throws(CommandMismatch) in
            let current = try r.databaseKey()
            try r.expect(" ")
            return .change(from: current, to: try r.databaseKey())
        },
        CommandForm("/db decrypt ") { r throws(CommandMismatch) in .change(from: try r.databaseKey(), to: "") },
        CommandForm("/db test key ") { r throws(CommandMismatch) in .database(.testKey(try r.databaseKey())) },
        CommandForm("/sql slow") { _ in .database(.slowQueries) },
        CommandForm("/sql chat ") { r in .database(.chatSQL(r.rest())) },
        CommandForm("/sql agent ") { r in .database(.agentSQL(r.rest())) },
    ]
}

extension ChatCommand {
    fileprivate static func change(from current: String, to new: String) -> ChatCommand {
        .database(.changeEncryption(DatabaseEncryptionConfig(currentKey: current, newKey: new, keepKey: false)))
    }
}

extension CommandReader {
    /// A key: visible ASCII characters.
    fileprivate mutating func databaseKey() throws(CommandMismatch) -> String {
        let key = take { (0x21...0x7E).contains($0) }
        guard !key.isEmpty else { throw CommandMismatch() }
        return key
    }
}
