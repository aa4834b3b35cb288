import AsyncPrimitives
import ChatAPI
import ChatModel
import ChatProtocol
import Testing

@testable import Parley

/// Who may wait for the answers of whom at the same time.
@Suite struct ReplyWaiterTests {
    private static let ann = PersonID.member(1, of: 7), ben = PersonID.member(2, of: 7), chat = "#7"

    /// Two that wait in one chat, for a person each, or for anybody.
    @Test(
        arguments: [
            (ann, ann, false), (ann, ben, true), (ann, nil, false), (nil, ann, false), (nil, nil, false),
        ] as [(PersonID?, PersonID?, Bool)])
    func aMessageIsTheAnswerToOneQuestion(_ first: PersonID?, _ second: PersonID?, _ isAdmitted: Bool) throws {
        let waiters = ReplyWaiters()
        let wait = try #require(waiters.wait(in: Self.chat, for: first))
        let other = waiters.wait(in: Self.chat, for: second)
        #expect((other != nil) == isAdmitted)
        #expect(waiters.wait(in: "#8", for: second) != nil, "another chat has its own answers")
        #expect(waiters.wait(in: "#7/12", for: second) != nil, "so have the comments on a post")
        waiters.end(wait)
        // Also twice, as after an answer that came at the last moment.
        waiters.end(wait)
        if let other { waiters.end(other) }
        #expect(waiters.wait(in: Self.chat, for: first) != nil)
    }

    @Test func theEndOfOneWaitIsNotThatOfAnother() throws {
        let waiters = ReplyWaiters()
        let old = try #require(waiters.wait(in: Self.chat, for: Self.ann))
        waiters.end(old)
        let new = try #require(waiters.wait(in: Self.chat, for: Self.ann))
        waiters.end(old)
        waiters.asked(3, old)
        #expect(waiters.wait(in: Self.chat, for: Self.ann) == nil && new.id != old.id)
    }

    /// A message of a contact that has just been received.
    private static func arrival(_ id: ChatItemID) throws -> ReplyWaiters.Arrival {
        let info = ChatInfo.direct(contact: try ScriptedCore.contact(4, "ann"))
        let item = ScriptedCore.item(id, .receivedMessage(content: .text("5")), .directReceived, "5")
        let effects = Effects(model: ChatModel(core: ScriptedCore()), userID: 1, event: nil)
        let chat = BotChat(bot: BotIdentity(id: "bot", name: "bot", userID: 1), info: info, effects: effects)
        return ReplyWaiters.Arrival(ItemInChat(chatInfo: info, chatItem: item), of: MessageContext(chat: chat, item: item, content: .text("5")))
    }

    @Test func aMessageThatCameWhenTheTimeWasOverIsTheAnswer() throws {
        let waiters = ReplyWaiters(), arrival = try Self.arrival(5)
        let wait = try #require(waiters.wait(in: "@4", for: nil))
        waiters.queued(arrival)
        #expect(waiters.end(wait)?.chatItem.id == 5)
        #expect(waiters.end(wait) == nil)
        #expect(!waiters.begins(arrival), "no handler gets it")
    }

    @Test func aMessageThatIsGivenBackIsTheFirstOfItsChatAgain() throws {
        let waiters = ReplyWaiters(), first = try Self.arrival(5), second = try Self.arrival(6)
        for arrival in [first, second] { waiters.queued(arrival) }
        for _ in 1...2 {
            let wait = try #require(waiters.wait(in: "@4", for: nil))
            #expect(wait.reply.current?.chatItem.id == 5)
            waiters.giveBack(wait)
        }
        #expect(waiters.begins(first) && waiters.begins(second))
        let wait = try #require(waiters.wait(in: "@4", for: nil))
        #expect(wait.reply.current == nil, "both are the handlers' now")
    }

    @Test func aMessageWhoseTurnIsOverCannotBeGivenBack() throws {
        let waiters = ReplyWaiters(), arrival = try Self.arrival(5)
        waiters.queued(arrival)
        let wait = try #require(waiters.wait(in: "@4", for: nil))
        #expect(!waiters.begins(arrival))
        waiters.giveBack(wait)
        let next = try #require(waiters.wait(in: "@4", for: nil))
        #expect(next.reply.current == nil)
    }
}
