import ChatAPI
import ChatProtocol
import EncryptedSQLite
import Foundation
import SMPSimulation
import TestSupport
import Testing

@testable import ChatEngine

@Suite("Commands about the encryption of databases")
struct EncryptionCommandTests {
    private static let first = "x'" + String(repeating: "1a", count: 32) + "'"
    private static let second = "x'" + String(repeating: "2b", count: 32) + "'"

    private func open(_ folder: TemporaryFolder, _ key: String?) throws -> NativeCore {
        var configuration = TestWorld().configuration(prefix: folder.path + "/core")
        configuration.key = try key.map { try DatabaseKey($0) }
        return try NativeCore.open(configuration, network: TestWorld().internet.makeClient())
    }

    private func error(_ core: NativeCore, _ command: String) async -> ChatError? {
        do {
            _ = try await core.send(try ChatCommand(parsing: command), as: nil)
            return nil
        } catch let error as ChatCoreError {
            return error.chatError
        } catch {
            return error as? ChatError
        }
    }

    private func encryption(_ current: String, _ new: String) -> String { "/_db encryption {\"currentKey\":\"\(current)\",\"newKey\":\"\(new)\"}" }

    @Test("encrypt, change the key and decrypt, as official cores answer")
    func changes() async throws {
        let folder = try TemporaryFolder()
        var core = try open(folder, nil)
        let profile = Profile(displayName: "alice", fullName: "")
        _ = try await core.send(.users(.create(NewUser(profile: profile, pastTimestamp: false, isChatRelay: false))), as: nil)
        _ = try await core.send(.core(.start()), as: nil)
        #expect(await error(core, encryption("", Self.first)) == .chat(error: .chatNotStopped))
        _ = try await core.send(.core(.stop), as: nil)

        #expect(await error(core, "/db test key k1") == .database(error: .open(error: .notADatabase)))
        #expect(await error(core, encryption("wrong", "k1")) == .database(error: .plaintext))
        #expect(await error(core, encryption("", Self.first)) == nil)
        #expect(await error(core, "/db test key \(Self.first)") == nil)
        #expect(await error(core, "/db test key \(Self.second)") == .database(error: .open(error: .notADatabase)))
        #expect(await error(core, "/_start") == .chat(error: .chatStoreChanged))
        #expect(await error(core, encryption("bad", "k2")) == .database(error: .export(error: .notADatabase)))
        #expect(await error(core, encryption("", "k2")) == .database(error: .encrypted))
        #expect(await error(core, "/db key \(Self.first) \(Self.second)") == nil)
        #expect(await error(core, "/db key \(Self.first) \(Self.second)") == .database(error: .export(error: .notADatabase)))
        await core.close()

        for (key, code) in [(nil, StorageError.Code.keyNeeded), (Self.first, .wrongKey)] {
            #expect { try open(folder, key) } throws: { ($0 as? StorageError)?.code == code }
        }
        core = try open(folder, Self.second)
        guard case .usersList(let users) = try await core.send(.users(.list), as: nil) else { throw UnexpectedAnswer() }
        #expect(users.map(\.user.localDisplayName) == ["alice"])
        #expect(await error(core, "/db decrypt \(Self.second)") == nil)
        #expect(await error(core, "/db decrypt \(Self.second)") == .database(error: .plaintext))
        await core.close()
        core = try open(folder, nil)
        await core.close()
        #expect { try open(folder, Self.second) } throws: { ($0 as? StorageError)?.code == .notEncrypted }
    }

    @Test("of a core in memory are refused")
    func memory() async throws {
        let core = try await TestWorld().core("alice")
        _ = try await core.native.send(.core(.stop), as: nil)
        #expect(await error(core.native, encryption("", "k")) != nil)
        await core.close()
    }
}
