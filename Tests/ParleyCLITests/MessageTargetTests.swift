import ChatAPI
import ChatProtocol
import Foundation
import SMPWire
import Testing
import VectorSupport

@testable import ParleyCLI

/// The message that a line means which names none, and the one that stands for its chat in a list.
@Suite struct MessageTargetTests {
    private static let second = Duration.seconds(1_767_225_600)

    /// A session in a chat with these messages, in the order of the core: by time.
    private func session(_ messages: [(id: ChatItemID, milliseconds: Int64)]) throws -> ChatSession {
        let items = messages.map { id, milliseconds in
            let time = UTCTimestamp(sinceEpoch: Self.second + .milliseconds(milliseconds))
            return ChatItem(
                direction: .channelReceived,
                meta: ItemMeta(itemID: id, itemTimestamp: time, text: "\(id)", status: .receivedNew, createdAt: time, updatedAt: time),
                content: .receivedMessage(content: .text("\(id)")))
        }
        let core = try PageCore(items)
        return ChatSession(core: core, user: core.user, printer: ChatPrinter(json: true))
    }

    @Test func itIsTheOneThatCameLastAmongThoseOfASecond() async throws {
        // A post, whose router tells whole seconds, came behind the welcome message, whose time this machine tells.
        let session = try session([(11, -500), (15, 0), (12, 251), (14, 355)])
        #expect(try await session.target(nil, in: .group(1), "a message") { _ in true }.id == 15)
        #expect(try await session.target(nil, in: .group(1), "a message") { $0.id != 15 }.id == 14)
    }

    @Test func aListShowsTheOneThatCameLastAmongThoseOfASecond() async throws {
        let session = try session([(11, -500), (15, 0), (12, 251), (14, 355)])
        let chat = try #require(await session.chats().first)
        #expect(chat.chatItems.map(\.id) == [14])
        #expect(try await session.withLastItem(chat).chatItems.map(\.id) == [15])
    }

    @Test func aLaterSecondCountsMoreThanTheOrderOfArrival() async throws {
        // A relay has passed on an old post late.
        let session = try session([(16, 0), (12, 1_000), (15, 2_000)])
        #expect(try await session.target(nil, in: .group(1), "a message") { _ in true }.id == 15)
    }
}

/// A core that has one page of a chat.
private struct PageCore: ChatCore {
    let user: User
    private let page: Chat

    init(_ items: [ChatItem]) throws {
        let file = try String(contentsOf: Vectors.folder.appendingPathComponent("api/06a_groups.jsonl"), encoding: .utf8)
        let line = try #require(file.split(separator: "\n").first { $0.contains("\"joinedGroupMember\"") })
        let body = try JSONObject(json: try JSONValue(parsing: String(line))).required("body") as JSONObject
        user = try body.required("user")
        page = Chat(chatInfo: .group(groupInfo: try body.required("groupInfo"), scope: nil), chatItems: items)
    }

    func events(bufferingUpTo limit: Int) -> ChatEvents { ChatEventHub().subscribe(bufferingUpTo: limit) }

    func send(_ command: ChatCommand, as user: UserID?) async throws(ChatCoreError) -> ChatResponse {
        guard case .chats(.list) = command else { return .apiChat(user: self.user, chat: page, navigation: nil) }
        return .apiChats(user: self.user, chats: [Chat(chatInfo: page.chatInfo, chatItems: page.chatItems.suffix(1))])
    }
}
