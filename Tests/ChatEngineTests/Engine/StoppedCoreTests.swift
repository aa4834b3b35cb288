import ChatAPI
import ChatProtocol
import TestSupport
import Testing

@testable import ChatEngine

/// A core that does not run answers as the official one: nearly everything that concerns a profile is refused.
@Suite struct StoppedCoreTests {
    private static let refused = [
        "/_group 1 {\"displayName\":\"team\",\"fullName\":\"\"}", "/_send @2 json [{\"msgContent\":{\"type\":\"text\",\"text\":\"x\"}}]",
        "/_create *1 json [{\"msgContent\":{\"type\":\"text\",\"text\":\"x\"},\"mentions\":{}}]", "/_set alias #1 x",
        "/_profile 1 {\"displayName\":\"new\",\"fullName\":\"\"}", "/_connect 1", "/_address 1", "/_contacts 1", "/_groups 1", "/_get chat *1 count=10",
        "/_servers 1", "/smp", "/_profile_address 1 on", "/_read user 1", "/_ttl 1 60", "/profile", "/set receipts all on", "/_user 1", "/user alice",
        "/get subs total 1", "/get servers summary 1", "/_app activate", "/_delete user 1 del_smp=off", "/relays", "/_info @2", "/freceive 1",
        "/_create tag {\"emoji\":\"x\",\"text\":\"y\"}", "/_hide user 1 \"x\"", "/find remote ctrl",
    ]

    private static let answered = [
        "/users", "/user", "/_get chats 1", "/_get tags 1", "/_show_address 1", "/show_address", "/_ttl 1", "/ttl", "/version", "/_check running", "/_stop",
        "/_operators", "/_conditions", "/network", "/_files_encrypt off", "/contact_merge on", "/_get app settings", "/get subs", "/chats", "/_app suspend 0",
        "/_call get", "/list remote hosts", "/debug locks", "/reset servers stats", "/_connections diff",
        "/_create user {\"profile\":{\"displayName\":\"other\",\"fullName\":\"\"},\"pastTimestamp\":false,\"userChatRelay\":false}",
    ]

    private func isNotStarted(_ answer: JSONValue) -> Bool { answer["chatError"]?["errorType"]?["type"] == "chatNotStarted" }

    @Test func aCoreThatWasStoppedRefusesWhatConcernsAProfileUntilItIsStarted() async throws {
        let core = try await TestWorld().open(agent: .light)
        _ = try await core.createUser("alice")
        _ = try await core.run("/_start")
        #expect(try await core.run("/_stop") == .chatStopped)
        for command in Self.refused { #expect(isNotStarted(await core.answer(command)), "\(command)") }
        for command in Self.answered { #expect(!isNotStarted(await core.answer(command)), "\(command)") }
        _ = try await core.run("/_start")
        _ = try await core.run("/user alice")
        for command in Self.refused { #expect(!isNotStarted(await core.answer(command)), "\(command)") }
        await core.close()
    }

    @Test func aCoreOfTheAPIRefusesItBeforeItsFirstStartToo() async throws {
        let core = try await TestWorld().open(agent: .light, configure: { $0.takesCommandsBeforeStart = false })
        let new = "/_create user {\"profile\":{\"displayName\":\"alice\",\"fullName\":\"\"},\"pastTimestamp\":false,\"userChatRelay\":false}"
        await core.native.stop()
        // Without a profile, that is what is missing.
        #expect(await core.answer("/_connect 1")["chatError"]?["errorType"]?["type"] == "noActiveUser")
        _ = try await core.run(new)
        #expect(isNotStarted(await core.answer("/_connect 1")))
        #expect(!isNotStarted(await core.answer("/_get chats 1")))
        _ = try await core.run("/_start")
        #expect(!isNotStarted(await core.answer("/_connect 1")))
        await core.close()
    }

    @Test func receiptsForGroupsClearWhatGroupsHaveOfTheirOwn() async throws {
        let core = try await TestWorld().open(agent: .light)
        _ = try await core.createUser("alice")
        _ = try await core.run("/_group 1 {\"displayName\":\"team\",\"fullName\":\"\"}")
        func receipts() async throws -> JSONValue? {
            let answer = await core.answer("/_get chats 1")
            return answer["chats"]?.arrayValue?.compactMap { $0["chatInfo"]?["groupInfo"]?["chatSettings"] }.first?["sendRcpts"]
        }
        let settings = "/_settings #1 {\"enableNtfs\":\"all\",\"sendRcpts\":true,\"favorite\":false}"
        _ = try await core.run(settings)
        #expect(try await receipts() == true)
        _ = try await core.run("/_set receipts groups 1 off")
        #expect(try await receipts() == true)
        _ = try await core.run("/_set receipts groups 1 off clear_overrides=on")
        #expect(try await receipts() == nil)
        _ = try await core.run(settings)
        _ = try await core.run("/set receipts groups on clear_overrides=on")
        #expect(try await receipts() == nil)
        await core.close()
    }
}
