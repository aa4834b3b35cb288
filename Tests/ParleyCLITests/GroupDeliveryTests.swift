import ChatAPI
import ChatProtocol
import Foundation
import Parley
import Synchronization
import TestSupport
import Testing
import VectorSupport

@testable import ParleyCLI

/// `parley send` to a group: it waits for the members to whom the message is sent now.
@Suite struct GroupDeliveryTests {
    @Test func membersToWhomNothingIsSentNowAreNotWaitedFor() async throws {
        let core = try DeliveryCore([.sent, .received(receipt: .ok), .forwarded, .inactive, .error(error: .auth), .invalid(text: "x")])
        let progress = try await core.delivery(to: .router).wait(within: .seconds(60))
        #expect(progress.recipients == 2 && progress.outstanding == 0)
    }

    @Test func theLastRouterEndsTheWait() async throws {
        let core = try DeliveryCore([.new, .sent, .warning(error: .auth)])
        async let waiting = core.delivery(to: .router).wait(within: .seconds(60))
        await core.waitForReads(1)
        // News of another message, and of one router, are not the end.
        core.change(at: 2, to: .sent, announcing: 8)
        core.change(at: 0, to: .sent, announcing: 7)
        let progress = try await waiting
        #expect(progress.recipients == 3 && progress.outstanding == 0)
    }

    @Test func aRecipientIsReachedWhenItsClientSaysSo() async throws {
        let core = try DeliveryCore([.sent, .received(receipt: .ok)])
        async let waiting = core.delivery(to: .recipient).wait(within: .seconds(60))
        await core.waitForReads(1)
        core.change(at: 0, to: .received(receipt: .badMessageHash), announcing: 7)
        let progress = try await waiting
        #expect(progress.recipients == 2 && progress.outstanding == 0)
    }

    @Test func whatTheTimeWasTooShortForIsOutstanding() async throws {
        let core = try DeliveryCore([.new, .new, .sent])
        let progress = try await core.delivery(to: .router).wait(within: .zero)
        #expect(progress.recipients == 3 && progress.outstanding == 2)
    }

    @Test func lostEventsAreMadeUpForByReadingAnew() async throws {
        let core = try DeliveryCore([.new])
        async let waiting = core.delivery(to: .router).wait(within: .seconds(60))
        await core.waitForReads(1)
        core.change(at: 0, to: .sent, announcing: nil)
        core.hub.lose()
        #expect(try await waiting.outstanding == 0)
    }

    @Test func aCoreThatEndsEndsTheWait() async throws {
        let core = try DeliveryCore([.new])
        async let waiting = core.delivery(to: .router).wait(within: .seconds(60))
        await core.waitForReads(1)
        core.hub.finish()
        #expect(try await waiting.outstanding == 1)
    }

    @Test func anAnswerThatTellsNothingIsAnError() async throws {
        let core = try DeliveryCore(nil)
        await #expect(throws: Outcome.Failed.self) { try await core.delivery(to: .router).wait(within: .seconds(60)) }
    }
}

/// A core that knows how far one message to a group is.
private final class DeliveryCore: ChatCore {
    let hub = ChatEventHub()
    private let statuses: Mutex<[GroupSendStatus]?>
    private let reads = Mutex<(count: Int, waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)])>((0, []))
    private let user: User
    private let group: GroupInfo

    init(_ statuses: [GroupSendStatus]?) throws {
        self.statuses = Mutex(statuses)
        let file = try String(contentsOf: Vectors.folder.appendingPathComponent("api/06a_groups.jsonl"), encoding: .utf8)
        let line = try #require(file.split(separator: "\n").first { $0.contains("\"joinedGroupMember\"") })
        let body = try JSONObject(json: try JSONValue(parsing: String(line))).required("body") as JSONObject
        user = try body.required("user")
        group = try body.required("groupInfo")
    }

    func delivery(to stage: DeliveryStage) -> GroupDelivery {
        GroupDelivery(core: self, user: user.userID, chat: .group(group.groupID), item: 7, stage: stage)
    }

    func events(bufferingUpTo limit: Int) -> ChatEvents { hub.subscribe(bufferingUpTo: limit) }

    func send(_ command: ChatCommand, as user: UserID?) async throws(ChatCoreError) -> ChatResponse {
        let item = ItemInChat(chatInfo: .group(groupInfo: group, scope: nil), chatItem: chatItem(7))
        guard case .chats(.itemInfo) = command, let statuses = statuses.withLock(\.self) else { return .cmdOk(user: self.user) }
        let members = statuses.enumerated().map { MemberDeliveryStatus(groupMemberID: GroupMemberID(Int64($0.offset)), status: $0.element) }
        defer { countRead() }
        return .chatItemInfo(user: self.user, chatItem: item, info: ChatItemInfo(memberDeliveryStatuses: members))
    }

    /// Changes how far the message is at a member.
    ///
    /// - Parameter item: The item that an event names; nil to tell nobody.
    func change(at member: Int, to status: GroupSendStatus, announcing item: ChatItemID?) {
        statuses.withLock { $0?[member] = status }
        guard let item else { return }
        let changed = ItemInChat(chatInfo: .group(groupInfo: group, scope: nil), chatItem: chatItem(item))
        hub.publish(.chatItemsStatusesUpdated(user: user, chatItems: [changed]))
    }

    /// Returns once the statuses were read so many times.
    func waitForReads(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = reads.withLock { reads in
                if reads.count < count { reads.waiting.append((count, continuation)) }
                return reads.count >= count
            }
            if isDone { continuation.resume() }
        }
    }

    private func countRead() {
        let woken = reads.withLock { reads in
            reads.count += 1
            let woken = reads.waiting.filter { $0.count <= reads.count }
            reads.waiting.removeAll { $0.count <= reads.count }
            return woken
        }
        for waiter in woken { waiter.continuation.resume() }
    }

    private func chatItem(_ id: ChatItemID) -> ChatItem {
        let time = UTCTimestamp(seconds: 1_767_225_600)
        return ChatItem(
            direction: .groupSent,
            meta: ItemMeta(itemID: id, itemTimestamp: time, text: "hello", status: .sendNew, createdAt: time, updatedAt: time),
            content: .sentMessage(content: .text("hello")))
    }
}
