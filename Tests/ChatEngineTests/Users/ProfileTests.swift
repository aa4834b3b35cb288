import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Making, naming and deleting profiles.
@Suite struct ProfileTests {
    @Test(arguments: ["", " ", "a\nb", "@bob", "#bob", "bob ", " bob", "it's,", "a\u{202E}b"]) func aNameThatCannotBeShownOrTypedIsRefused(name: String)
        async throws
    {
        let core = try await TestWorld().core("alice")
        let new = NewUser(profile: Profile(displayName: name, fullName: ""), pastTimestamp: false, isChatRelay: false)
        let error = await #expect(throws: ChatCoreError.self) { _ = try await core.send(.users(.create(new))) }
        guard case .chat(.invalidDisplayName(name, let valid))? = error?.chatError else {
            Issue.record("\(name): \(String(describing: error))")
            return await core.close()
        }
        // A name that is proposed is accepted.
        if !valid.isEmpty {
            let proposed = NewUser(profile: Profile(displayName: valid, fullName: ""), pastTimestamp: false, isChatRelay: false)
            _ = try await core.send(.users(.create(proposed)))
        }
        await core.close()
    }

    @Test func theDateOfAProfileCanHideWhenItWasMade() async throws {
        let core = try await TestWorld().core("alice")
        let new = NewUser(profile: Profile(displayName: "bob", fullName: ""), pastTimestamp: true, isChatRelay: false)
        _ = try await core.send(.users(.create(new)))
        let dates = try await core.native.engine.store.read { db in try db.all("SELECT created_at FROM users ORDER BY user_id") { $0.int() } }
        let hours = (dates[0] - dates[1]) / 3_600_000_000_000
        #expect((47...72).contains(hours), "two to three days")
        await core.close()
    }

    @Test func theActiveProfileIsDeletedOnlyAsTheLastOne() async throws {
        let core = try await TestWorld().core("alice")
        _ = try await core.createUser("bob")
        let error = await #expect(throws: ChatCoreError.self) { _ = try await core.send(.users(.delete(2, deleteQueues: true))) }
        #expect(error?.chatError == .chat(error: .cantDeleteActiveUser(userID: 2)))
        _ = try await core.send(.users(.delete(1, deleteQueues: true)))
        _ = try await core.send(.users(.delete(2, deleteQueues: true)))
        guard case .usersList(let users) = try await core.send(.users(.list)) else { throw UnexpectedAnswer() }
        #expect(users.isEmpty)
        await core.close()
    }

    @Test func aNewNameMustNotBeThatOfAContactOrOfAnotherProfile() async throws {
        let core = try await TestWorld().core("alice", presets: [Profile(displayName: "support", fullName: "")])
        _ = try await core.createUser("bob")
        for name in ["alice", "support"] {
            let error = await #expect(throws: ChatCoreError.self) {
                _ = try await core.send(.users(.updateProfile(user: 2, Profile(displayName: name, fullName: ""))))
            }
            #expect(error?.chatError == .store(error: .duplicateName), "\(name)")
        }
        guard case .userProfileUpdated(let user, _, _, _) = try await core.send(.users(.updateProfile(user: 2, Profile(displayName: "robert", fullName: ""))))
        else { throw UnexpectedAnswer() }
        #expect(user.localDisplayName == "robert")
        // The old name is free again.
        _ = try await core.send(.users(.updateProfile(user: 1, Profile(displayName: "bob", fullName: ""))), as: 1)
        await core.close()
    }
}

/// The names under which a profile's contacts and groups are found: each is there once.
@Suite struct LocalNameTests {
    private func names(_ reserved: [String]) async throws -> [String] {
        let memory = try await MemoryStore()
        let (names, _) = try await memory.run { transaction in
            try reserved.map { try transaction.db.profiles.reserveDisplayName($0, user: MemoryStore.user) }
        }
        try await memory.close()
        return names
    }

    @Test func namesThatAreTakenGetANumber() async throws {
        #expect(try await names(["bob", "bob", "bob", "carol"]) == ["bob", "bob_1", "bob_2", "carol"])
        #expect(try await names(["alice"]) == ["alice_1"], "the profile itself has it")
    }

    @Test func aContactThatCallsItselfAsANumberedOneGetsAnotherNumber() async throws {
        #expect(try await names(["bob_1", "bob", "bob", "bob_1"]) == ["bob_1", "bob", "bob_2", "bob_1_1"])
        let many = try await names(Array(repeating: "x", count: 5) + ["x_3", "x_3", "x"])
        #expect(Set(many).count == many.count)
    }

    @Test func aZeroInANameDoesNotHideASecondContactBehindTheFirst() async throws {
        #expect(try await names(["bob", "bo\0b", "bob\0"]) == ["bob", "bob_1", "bob_2"])
    }

    @Test func aNameThatIsReleasedIsGivenAgain() async throws {
        let memory = try await MemoryStore()
        let (names, _) = try await memory.run { transaction in
            let db = transaction.db, first = try db.profiles.reserveDisplayName("bob", user: MemoryStore.user)
            try db.profiles.releaseDisplayName(first, user: MemoryStore.user)
            return [first, try db.profiles.reserveDisplayName("bob", user: MemoryStore.user)]
        }
        #expect(names == ["bob", "bob"])
        try await memory.close()
    }
}
