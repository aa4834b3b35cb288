import ChatAPI
import ChatRules
import Foundation
import SMPCrypto
import SMPProtocol
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

@Suite("Introductions in large groups")
struct IntroductionScaleTests {
    /// Members; `GROUP_MEMBERS` for a measurement.
    private static var members: Int { ProcessInfo.processInfo.environment["GROUP_MEMBERS"].flatMap { Int($0) } ?? 60 }

    @Test("each member is introduced once to each other one, in one transaction for each who joins, and the record of it is a byte a pair")
    func introductions() async throws {
        let scene = try await GroupScene(["host"])
        let engine = scene.owner.native.engine, count = Self.members
        var times: [Double] = []
        for number in 0..<count {
            let began = ContinuousClock.now
            try await engine.transactions.transaction { transaction in
                let id = try transaction.insertConnectedMember("member \(number)", role: .member, in: GroupScene.group)
                let member = try #require(try transaction.db.members.find(id))
                try transaction.members.introduce(member, in: try transaction.conversations.group(GroupScene.group, of: try transaction.user()))
            }
            times.append((ContinuousClock.now - began) / .milliseconds(1))
        }
        // The host is a member as well, and is introduced to nobody.
        let relations = try await engine.store.read { db in
            try db.members.members(of: GroupScene.group).map { ($0, try db.members.relations(ofMember: $0.groupMemberID)) }
        }
        let joined = relations.filter { $0.0.category == .invitee }
        #expect(joined.count == count)
        for (member, known) in joined {
            #expect(joined.allSatisfy { $0.0.indexInGroup == member.indexInGroup || known[$0.0.indexInGroup] == .introduced })
            #expect(known.bytes.count <= count + 2)
        }
        // Nobody is introduced again.
        try await engine.transactions.transaction { transaction in
            let group = try transaction.conversations.group(GroupScene.group, of: try transaction.user())
            for (member, known) in joined {
                try transaction.members.introduce(member, in: group)
                #expect(try transaction.db.members.relations(ofMember: member.groupMemberID) == known)
            }
        }
        if count > 100 {
            for number in stride(from: 99, to: count, by: 100) {
                let last = times[max(0, number - 9)...number].reduce(0, +) / 10
                print("member \(number + 1): \(last) ms, \(last / Double(number)) ms an introduction")
            }
        }
        await scene.close()
    }
}
