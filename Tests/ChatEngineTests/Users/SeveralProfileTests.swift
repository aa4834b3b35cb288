import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Several profiles in one core: each acts for itself, and one that is deleted takes along what is its own and nothing else.
@Suite struct SeveralProfileTests {
    private func code(_ answer: JSONValue) -> String? {
        answer["chatError"]?["errorType"]?["type"]?.stringValue ?? answer["chatError"]?["storeError"]?["type"]?.stringValue
    }

    private func core(_ names: [String] = ["alice", "bob", "cath"]) async throws -> TestCore {
        let core = try await TestWorld().open(agent: .light)
        for name in names { _ = try await core.createUser(name) }
        return core
    }

    private func users(_ core: TestCore) async throws -> [UserInfo] {
        guard case .usersList(let users) = try await core.send(.users(.list)) else { throw UnexpectedAnswer() }
        return users
    }

    @Test(arguments: [
        "/_get chats 2", "/_contacts 2", "/_groups 2", "/_connect 2", "/_address 2", "/_show_address 2", "/_delete_address 2", "/_get tags 2", "/_ttl 2",
        "/_ttl 2 60", "/_ttl 2 @1 60", "/_read user 2", #"/_profile 2 {"displayName":"new","fullName":""}"#, #"/_group 2 {"displayName":"team","fullName":""}"#,
        "/_profile_address 2 on", #"/_address_settings 2 {"businessAddress":false}"#, "/_servers 2", "/_connect plan 2 simplex:/x", "/_upload 2 /dev/null",
    ])
    func aCommandThatNamesAnotherProfileThanTheOneThatActsIsRefused(_ command: String) async throws {
        let core = try await core(["alice", "bob"])
        let answer = await core.answer(command, as: 1)
        #expect(code(answer) == "differentActiveUser", "\(answer.text)")
        #expect(answer["chatError"]?["errorType"]?["commandUserId"] == 2 && answer["chatError"]?["errorType"]?["activeUserId"] == 1)
        await core.close()
    }

    @Test func commandsWithoutAProfileAreForTheOneThatWasActivatedLast() async throws {
        let core = try await core()
        func active() async throws -> String {
            guard case .activeUser(let user) = try await core.send(.users(.showActive)) else { throw UnexpectedAnswer() }
            return user.localDisplayName
        }
        #expect(try await active() == "cath", "a new profile is the active one")
        for (command, name) in [("/_user 1", "alice"), ("/user bob", "bob"), ("/_user 2", "bob"), ("/_user 3", "cath")] {
            _ = try await core.run(command)
            #expect(try await active() == name, "\(command)")
            #expect(try await users(core).filter(\.user.isActive).map(\.user.localDisplayName) == [name])
        }
        for command in ["/_user 9", "/user nobody"] { #expect(code(await core.answer(command)) == "userUnknown", "\(command)") }
        #expect(try await active() == "cath")
        // The order tells which was active when.
        let order = try await users(core).sorted { $0.user.activeOrder > $1.user.activeOrder }.map(\.user.localDisplayName)
        #expect(order == ["cath", "bob", "alice"])
        await core.close()
    }

    @Test func nothingIsLeftOfAProfileThatIsDeletedAndTheOthersAreAsBefore() async throws {
        let world = TestWorld(), core = try await world.open(agent: .light), friend = try await world.open(agent: .light)
        for name in ["alice", "bob"] { _ = try await core.createUser(name) }
        _ = try await friend.createUser("friend")
        for user: UserID in [1, 2] {
            let link = try await friend.invite()
            try await core.join(link, as: user)
            #expect(await core.eventually { await core.connected(as: user).count == 1 })
            let contact = try #require(await core.connected(as: user).first)
            _ = try await core.send("hello", to: contact, as: user)
            _ = try await core.run("/_address \(user)", as: user)
            _ = try await core.run(#"/_group \#(user) {"displayName":"team","fullName":""}"#, as: user)
            _ = try await core.run("/_create link #\(user) member", as: user)
            _ = try await core.run(#"/_create tag {"text":"work"}"#, as: user)
            _ = try await core.run("/_create *\(user) text note", as: user)
            _ = try await core.run("/_connect \(user) incognito=on", as: user)
        }
        func rows() async throws -> [String: [Int64]] {
            try await core.native.engine.store.read { db in
                var counts: [String: [Int64]] = [:]
                for table in try db.all("SELECT name FROM sqlite_schema WHERE type = 'table'", [], { $0.text() }) {
                    guard try db.columns(in: table).contains(where: { $0.name == "user_id" }) else { continue }
                    counts[table] = try [1, 2].map { try db.number("SELECT count(*) FROM \"\(table)\" WHERE user_id = ?", [$0]) ?? 0 }
                }
                return counts
            }
        }
        let before = try await rows()
        #expect(before.filter { $0.value[1] > 0 }.count > 8, "\(before)")
        _ = try await core.run("/_user 1")
        _ = try await core.run("/_delete user 2 del_smp=on")
        let after = try await rows()
        for (table, counts) in after where table != "agent_work" { #expect(counts == [before[table]?[0] ?? -1, 0], "\(table)") }
        let orphans = try await core.native.engine.store.read { db in try db.all("PRAGMA foreign_key_check", []) { $0.text() } }
        #expect(orphans.isEmpty, "\(orphans)")
        // The agent forgets its connections, too.
        let isClean = await core.eventually {
            guard let difference = try? await core.native.engine.agentDifference() else { return false }
            return difference.connections.extra.isEmpty && difference.connections.missing.isEmpty && difference.users.extra.isEmpty
        }
        #expect(isClean)
        #expect(try await users(core).map(\.user.userID) == [1])
        for core in [core, friend] { await core.close() }
    }

    @Test func aProfileIsDeletedByItsNameAndAnotherOfThatNameBeginsWithNothing() async throws {
        let core = try await core(["alice", "bob"])
        _ = try await core.run("/_create *2 text secret", as: 2)
        _ = try await core.run("/_user 1")
        #expect(code(await core.answer("/delete user nobody")) == "userNotFoundByName")
        _ = try await core.run("/delete user bob")
        let again = try await core.createUser("bob")
        #expect(again.userID > 2, "numbers are not given again")
        let notes = try await core.native.engine.store.read { try $0.number("SELECT count(*) FROM chat_items") }
        #expect(notes == 0)
        await core.close()
    }

    @Test func settingsOfAProfileAreItsOwnAndThereAfterARestart() async throws {
        let alice = try await TestPerson("alice", TestWorld())
        _ = try await alice.core.createUser("bob")
        _ = try await alice.core.run("/_set receipts contacts 1 off", as: 1)
        _ = try await alice.core.run("/_set receipts groups 1 on", as: 1)
        _ = try await alice.core.run("/_set accept member contacts 1 on", as: 1)
        _ = try await alice.core.run("/_set theme user 1 {\"base\":\"dark\"}", as: 1)
        _ = try await alice.core.run("/_mute user 1", as: 1)
        _ = try await alice.core.run("/_ttl 1 86400", as: 1)
        await alice.kill()
        try await alice.restart()
        let users = try await users(alice.core).map(\.user), first = try #require(users.first), second = try #require(users.last)
        #expect(!first.sendsReceiptsToContacts && first.sendsReceiptsToSmallGroups && first.autoAcceptsMemberContacts && !first.showsNotifications)
        #expect(first.uiThemes == ["base": "dark"])
        #expect(second.sendsReceiptsToContacts && second.showsNotifications && !second.autoAcceptsMemberContacts && second.uiThemes == nil)
        for (user, ttl) in [(1, 86_400), (2, 0)] {
            #expect(await alice.core.answer("/_ttl \(user)", as: UserID(Int64(user)))["chatItemTTL"]?.intValue == Int64(ttl))
        }
        await alice.core.close()
    }

    @Test func thereIsOneRelayProfileAtMost() async throws {
        let core = try await core(["alice"])
        _ = try await core.createUser("relay", isChatRelay: true)
        let error = await #expect(throws: ChatCoreError.self) { _ = try await core.createUser("second", isChatRelay: true) }
        #expect(error?.chatError == .chat(error: .chatRelayExists))
        #expect(try await users(core).map(\.user.isChatRelay) == [false, true])
        await core.close()
    }
}
