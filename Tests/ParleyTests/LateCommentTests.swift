import ChatAPI
import ChatProtocol
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Comments that come while the posts of a channel are read.
@Suite(.timeLimit(.minutes(5))) struct LateCommentTests {
    /// The posts that are commented are on the newest page, or on one before it.
    @Test(arguments: [2, 150]) func aCommentOnAPostThatIsReadAlreadyIsNotLeftOutBecauseOfALaterOneOnTheNext(_ posts: Int) async throws {
        let core = ScriptedCore(), seen = EventLog<String>()
        let bot = Bot("Moderator") { On(.comment) { seen.add($0.text) } }
        let (channel, ann) = try core.addChannel(subscribed: 1_767_225_590, connected: 1_767_225_600)
        let ids = (1...posts).map { core.receive("post \($0)", from: ann, in: channel, announcing: false) { $0.direction = .channelReceived } }
        for (text, post) in zip(["a", "b"], ids) { core.receive(text, from: ann, in: channel, announcing: false) { $0.meta.parentItemID = post } }
        core.state.withLock { state in
            state.beforeComments = (
                ids[1],
                { state in
                    for (text, post) in zip(["c", "d"], ids) {
                        state.lastID += 1
                        var item = ScriptedCore.item(
                            ChatItemID(state.lastID), .receivedMessage(content: .text(text)), .groupReceived(member: ann), text)
                        item.meta.parentItemID = post
                        state.groupItems[.group(9), default: []].append(item)
                    }
                }
            )
        }
        _ = try await HostSessionTests().running([bot], on: core) { _ in try await eventually("the last is handled") { seen.all.last == "d" } }
        #expect(seen.all == ["a", "b", "c", "d"])
    }
}
