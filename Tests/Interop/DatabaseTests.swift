import EncryptedSQLite
import GRDB
import OfficialPeers
import ProcessSupport
import Testing

extension Interop {
    /// Encrypted databases, written by one implementation and read by the other.
    @Suite struct Databases {
        private static let router = "smp://NQcFNezxnRvnm-HgNh60b4MyClQ4Z0ConemWw7eS9yI=@127.0.0.1:9"

        /// Lets the official client open its databases under a key and say who the user is.
        private func user(_ folder: ScratchFolder, key: String, creating name: String? = nil) async throws -> (status: Int32, text: String) {
            let arguments =
                ["-d", folder("db"), "-y", "-s", Self.router, "-e", "/user", "-t", "1"]
                + (key.isEmpty ? [] : ["-k", key]) + (name.map { ["--create-bot-display-name", $0] } ?? [])
            let process = try ChildProcess(try PeerProgram.simplexChat.path(), arguments)
            let status = try await process.exit(within: .seconds(60))
            return (status, await process.restOfOutput().joined(separator: "\n"))
        }

        @Test func `The official client's databases are read, and it reads what was written over them under another key`() async throws {
            let folder = try ScratchFolder("databases")
            try await seen("encrypted databases read, rewritten under other keys, and read again", "official client's files", through: .official) {
                let first = "the first key", raw = "x'" + String(repeating: "5c", count: 32) + "'", last = "it's the last one"
                #expect(try await user(folder, key: first, creating: "olga").status == 0)
                let set = DatabaseSet(folder: folder.path, name: "db", members: ["chat", "agent"].map { .init(label: $0, path: folder("db_\($0).db")) })
                #expect { try set.checkKey(try DatabaseKey("another")) } throws: { ($0 as? StorageError)?.code == .wrongKey }
                #expect(try set.check(key: try DatabaseKey(first)).allSatisfy(\.isSound))

                try set.changeKey(from: try DatabaseKey(first), to: try DatabaseKey(raw))
                try set.changeKey(from: try DatabaseKey(raw), to: nil)
                let plain = try DatabaseQueue(path: folder("db_chat.db"))
                #expect(try await plain.read { try String.fetchAll($0, sql: "SELECT local_display_name FROM users") } == ["olga"])
                try plain.close()
                try set.changeKey(from: nil, to: try DatabaseKey(last))

                #expect(try await user(folder, key: first).status != 0)
                let answer = try await user(folder, key: last)
                #expect(answer.status == 0 && answer.text.contains("olga"), "\(answer)")
                // It has written to them.
                #expect(try set.check(key: try DatabaseKey(last)).allSatisfy(\.isSound))
            }
        }
    }
}
