import ChatAPI
import ChatRules
import SMPSimulation
import Testing

@testable import ChatEngine

/// Subscribers who were away until their queues were full.
@Suite struct AbsentSubscriberTests {
    /// The errors of the relay's connection with a subscriber for its full queue.
    private func quotaErrors(of name: String, in scene: ChannelScene) async throws -> Int {
        try #require(try await scene.member(name, at: "relay").activeConnection).quotaErrorCounter
    }

    /// A channel with queues of four messages, whose subscriber Ann went away. The relay takes her for inactive.
    private func abandonedScene(history: Bool) async throws -> ChannelScene {
        let preferences = #""groupPreferences":{"history":{"enable":"\#(history ? "on" : "off")"},"support":{"enable":"off"}}"#
        let scene = try await ChannelScene(["ann", "bob"], world: TestWorld(quota: 4), preferences: preferences)
        try await scene.post("before")
        await scene.expect("before", at: "ann")
        scene["ann"].network.disconnect(scene.world.router.address)
        for number in 1...8 {
            try await scene.post("\(number)")
            await scene.expect("\(number)", at: "bob")
        }
        await scene.eventually("the queue is full", at: "relay") { try await quotaErrors(of: "ann", in: scene) == 1 }
        try await scene["relay"].setInactive(try await scene.member("ann", at: "relay"))
        for text in ["missed", "removed"] {
            let posted = try await scene.post(text)
            await scene.expect(text, at: "bob")
            guard text == "removed" else { continue }
            _ = try await scene.owner.run("/_delete item #1 \(posted.meta.itemID) broadcast")
        }
        await scene.eventually("it is deleted", at: "relay") {
            await scene.items(at: "relay").contains { $0.meta.text == "removed" && $0.meta.deleted != nil }
        }
        scene["ann"].network.reconnect(scene.world.router.address)
        return scene
    }

    @Test func aSubscriberWhoComesBackGetsWhatWasPostedMeanwhileOnceAndInOrder() async throws {
        let scene = try await abandonedScene(history: true)
        await scene.expect("missed", at: "ann")
        try await scene.post("after")
        await scene.expect("after", at: "ann")
        #expect(await scene.texts(at: "ann") == ["before"] + (1...8).map(String.init) + ["missed", "after"])
        await scene.close()
    }

    @Test func withoutHistoryASubscriberWhoComesBackGetsWhatIsPostedFromThenOn() async throws {
        let scene = try await abandonedScene(history: false)
        await scene.eventually("the relay sends again", at: "relay") { try await quotaErrors(of: "ann", in: scene) < Connection.inactiveErrorCount }
        try await scene.post("after")
        await scene.expect("after", at: "ann")
        #expect(await scene.texts(at: "ann") == ["before"] + (1...8).map(String.init) + ["after"])
        await scene.close()
    }
}
