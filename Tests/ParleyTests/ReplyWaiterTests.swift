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
}
