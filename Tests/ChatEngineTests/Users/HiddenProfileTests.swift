import ChatAPI
import ChatProtocol
import ChatRules
import Testing

@testable import ChatEngine

/// Profiles that are hidden behind a password: nobody who does not know it can tell that they are there.
@Suite struct HiddenProfileTests {
    /// A core with the profiles `alice` (1), `bob` (2, hidden with the password `secret`) and `carol` (3, the active one).
    private func core() async throws -> TestCore {
        let core = try await TestWorld().core("alice")
        _ = try await core.createUser("bob")
        _ = try await core.send(.users(.hide(user: 2, password: "secret")))
        _ = try await core.createUser("carol")
        return core
    }

    /// The error of a command.
    private func error(_ core: TestCore, _ command: UserCommand) async -> ChatErrorType? {
        do {
            _ = try await core.send(.users(command))
            return nil
        } catch let error as ChatCoreError {
            guard case .chat(let type)? = error.chatError else { return nil }
            return type
        } catch {
            return nil
        }
    }

    private func users(_ core: TestCore) async throws -> [User] {
        guard case .usersList(let users) = try await core.send(.users(.list)) else { throw UnexpectedAnswer() }
        return users.map(\.user)
    }

    @Test func withoutThePasswordAHiddenProfileIsAsUnknownAsOneThatIsNotThere() async throws {
        let core = try await core()
        for password in [nil, "", "Secret", "secret ", "secret\0"] as [String?] {
            #expect(await error(core, .setActive(2, password: password)) == .userUnknown, "\(password ?? "none")")
            #expect(await error(core, .setActiveNamed("bob", password: password)) == .userUnknown)
            #expect(await error(core, .delete(2, deleteQueues: true, password: password)) == .userUnknown)
        }
        #expect(await error(core, .setActiveNamed("nobody", password: "secret")) == .userUnknown)
        for change: UserCommand in [
            .setContactReceipts(user: 2, UserReceiptSettings(enable: false, clearOverrides: false)),
            .setGroupReceipts(user: 2, UserReceiptSettings(enable: true, clearOverrides: false)), .setAutoAcceptMemberContacts(user: 2, true),
        ] {
            #expect(await error(core, change) == .userUnknown)
        }
        #expect(try await users(core).count == 3, "nothing was deleted")
        await core.close()
    }

    @Test func withThePasswordAHiddenProfileIsActivatedAndDeleted() async throws {
        let core = try await core()
        guard case .activeUser(let user) = try await core.send(.users(.setActive(2, password: "secret"))) else { throw UnexpectedAnswer() }
        #expect(user.userID == 2 && user.isActive)
        // The active profile needs no password for itself.
        #expect(await error(core, .setContactReceipts(user: 2, UserReceiptSettings(enable: false, clearOverrides: false))) == nil)
        _ = try await core.send(.users(.setActive(1)))
        _ = try await core.send(.users(.delete(2, deleteQueues: true, password: "secret")))
        #expect(try await users(core).map(\.userID) == [1, 3])
        await core.close()
    }

    @Test func theNameOfAHiddenProfileIsRefusedWithoutSayingThatItIsThere() async throws {
        let core = try await core()
        func create(_ name: String) async -> ChatErrorType? {
            await error(core, .create(NewUser(profile: Profile(displayName: name, fullName: ""), pastTimestamp: false, isChatRelay: false)))
        }
        #expect(await create("bob") == .invalidDisplayName(displayName: "bob", validName: ""))
        #expect(await create("alice") == .userExists(contactName: "alice"))
        await core.close()
    }

    @Test func aHiddenProfileIsMutedUntilItIsShownAgain() async throws {
        let core = try await core()
        #expect(try await users(core)[1].showsNotifications == false)
        #expect(await error(core, .unmute(user: 2)) == .hiddenUserAlwaysMuted(userID: 2))
        #expect(await error(core, .unhide(user: 2, password: "wrong")) == .userUnknown)
        #expect(await error(core, .unhide(user: 2, password: "")) == .emptyUserPassword(userID: 2))
        _ = try await core.send(.users(.unhide(user: 2, password: "secret")))
        let shown = try await users(core)[1]
        #expect(shown.showsNotifications && shown.viewPasswordHash == nil)
        #expect(await error(core, .unhide(user: 2, password: "secret")) == .userNotHidden(userID: 2))
        await core.close()
    }

    @Test func oneProfileAlwaysStaysVisible() async throws {
        let core = try await core()
        #expect(await error(core, .hide(user: 1, password: "")) == .emptyUserPassword(userID: 1))
        _ = try await core.send(.users(.hide(user: 1, password: "one")))
        #expect(await error(core, .hide(user: 3, password: "three")) == .cantHideLastUser(userID: 3))
        #expect(await error(core, .hide(user: 1, password: "again")) == .userAlreadyHidden(userID: 1))
        await core.close()
    }

    @Test func theSamePasswordIsStoredDifferentlyForTwoProfiles() async throws {
        let core = try await core()
        _ = try await core.send(.users(.hide(user: 1, password: "secret")))
        let hashes = try await users(core).compactMap(\.viewPasswordHash)
        #expect(hashes.count == 2 && hashes[0].salt != hashes[1].salt && hashes[0].hash != hashes[1].hash)
        await core.close()
    }
}
