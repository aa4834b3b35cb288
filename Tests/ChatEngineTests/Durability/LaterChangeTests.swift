import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatStore

/// What is told of a contact or group has a time by which a client knows what is later, whatever the clock says.
@Suite struct LaterChangeTests {
    /// A change of a contact, or of a group with the membership of this profile in it.
    enum Change: String, CaseIterable {
        case contactProfile, contactPreferences, contactStatus, groupProfile, ownStatus, ownRole, ownInvitation

        func perform(at time: UTCTimestamp, in transaction: ChatTransaction) throws {
            let db = transaction.db, user = try transaction.user()
            let contact = try transaction.conversations.contact(LaterChangeTests.contact(in: db), of: user), group = try LaterChangeTests.group(in: transaction)
            let own = group.membership.groupMemberID
            switch self {
            case .contactProfile: try db.contacts.update(contact, user: user.userID, profile: Profile(displayName: "rob", fullName: ""), at: time)
            case .contactPreferences: try db.contacts.update(contact.contactID, userPreferences: ChatPreferences(), at: time)
            case .contactStatus: try db.contacts.update(contact.contactID, status: .deleted, at: time)
            case .groupProfile: try db.groups.update(group, user: user.userID, profile: GroupProfile(displayName: "club"), at: time)
            case .ownStatus: try db.members.update(own, status: .removed, at: time)
            case .ownRole: try db.members.update(own, role: .moderator, at: time)
            case .ownInvitation: try db.members.update(own, memberID: MemberID([9]), role: .admin, at: time)
            }
        }

        /// The time of what the change is of.
        func updatedAt(in transaction: ChatTransaction) throws -> UTCTimestamp {
            switch self {
            case .contactProfile, .contactPreferences, .contactStatus:
                try transaction.conversations.contact(LaterChangeTests.contact(in: transaction.db), of: try transaction.user()).updatedAt
            default: try LaterChangeTests.group(in: transaction).updatedAt
            }
        }
    }

    private static func contact(in db: Database) throws -> ContactID {
        try #require(try db.firstID("SELECT contact_id FROM contacts WHERE is_user = 0"))
    }

    private static func group(in transaction: ChatTransaction) throws -> GroupInfo { try transaction.conversations.group(1, of: try transaction.user()) }

    /// A profile with a contact and a group.
    private static func store() async throws -> MemoryStore {
        let memory = try await MemoryStore()
        _ = try await memory.addContact("bob", 7)
        _ = try await memory.run { try $0.groups.create(GroupProfile(displayName: "team"), incognito: false, user: MemoryStore.user) }
        return memory
    }

    @Test(arguments: Change.allCases, [Int64(-3_600), 0, 3_600])
    func eachChangeIsLaterThanTheOneBefore(_ change: Change, by seconds: Int64) async throws {
        let memory = try await Self.store()
        let (times, _) = try await memory.run { transaction in
            var times = [try change.updatedAt(in: transaction)]
            for _ in 1...3 {
                try change.perform(at: MemoryStore.now.adding(seconds: seconds), in: transaction)
                times.append(try change.updatedAt(in: transaction))
            }
            return times
        }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(times)")
        #expect(seconds <= 0 || times[1] == MemoryStore.now.adding(seconds: seconds), "a clock that goes on is followed")
        try await memory.close()
    }

    @Test(arguments: Change.allCases) func theLastTimeThatCanBeStoredIsNoObstacle(_ change: Change) async throws {
        let memory = try await Self.store()
        let (time, _) = try await memory.run { transaction in
            for table in ["contacts", "groups"] { try transaction.db.run("UPDATE \(table) SET updated_at = \(Int64.max)") }
            try change.perform(at: MemoryStore.now, in: transaction)
            return try change.updatedAt(in: transaction)
        }
        #expect(time.stored == .max)
        try await memory.close()
    }

    @Test func theMembershipKeepsTheTimeOfTheClockByWhichHistoryIsTold() async throws {
        let memory = try await Self.store(), earlier = MemoryStore.now.adding(seconds: -3_600)
        let (membership, _) = try await memory.run { transaction in
            try Change.ownStatus.perform(at: earlier, in: transaction)
            try Change.ownRole.perform(at: MemoryStore.now, in: transaction)
            return try Self.group(in: transaction).membership
        }
        #expect(membership.status == .removed && membership.role == .moderator && membership.updatedAt == earlier)
        try await memory.close()
    }

    @Test func aChangeOfAnotherMemberIsNoneOfTheGroup() async throws {
        let memory = try await Self.store()
        let (groups, _) = try await memory.run { transaction in
            let before = try Self.group(in: transaction), later = MemoryStore.now.adding(seconds: 1)
            let member = try transaction.insertConnectedMember("cath", role: .member, in: before.groupID)
            try transaction.db.members.update(member, role: .admin, at: later)
            try transaction.db.members.update(member, status: .left, at: later)
            return (before, try Self.group(in: transaction))
        }
        #expect(groups.0.updatedAt == groups.1.updatedAt)
        try await memory.close()
    }

    @Test func aRemovalAfterTheClockWasSetBackIsToldAsLaterThanTheJoining() async throws {
        let scene = try await GroupScene(["alice"]), ahead = TestClock(3_600)
        let bob = try await scene.world.open(agent: .light, now: { .current().adding(seconds: ahead.now) })
        _ = try await bob.createUser("bob")
        try await scene.join(bob)
        #expect(await bob.wait { !$0.compactMap(\.joinedGroup).isEmpty })
        await scene.eventually("bob is in", at: "alice") { try await scene.member("bob", at: "alice").status == .connected }
        ahead.advance(-3_600)
        let alice = scene["alice"], member = try await scene.member("bob", at: "alice").groupMemberID
        _ = try await alice.run("/_member role #1 \(member) moderator")
        #expect(await bob.wait { !$0.compactMap(\.changedRole).isEmpty })
        _ = try await alice.run("/_remove #1 \(member)")
        #expect(await bob.wait { !$0.compactMap(\.ownRemoval).isEmpty })
        let told = bob.events.compactMap { $0.joinedGroup ?? $0.changedRole ?? $0.ownRemoval }
        #expect(told.map(\.membership.status) == [.connected, .connected, .removed] && told.map(\.membership.role).last == .moderator)
        #expect(zip(told, told.dropFirst()).allSatisfy { $0.updatedAt < $1.updatedAt })
        await bob.close()
        await scene.close()
    }
}

extension ChatEvent {
    fileprivate var joinedGroup: GroupInfo? { if case .userJoinedGroup(_, let group, _) = self { group } else { nil } }
    fileprivate var changedRole: GroupInfo? { if case .memberRole(_, let group, _, _, _, _, _) = self { group } else { nil } }
    fileprivate var ownRemoval: GroupInfo? { if case .deletedMemberUser(_, let group, _, _, _) = self { group } else { nil } }
}
