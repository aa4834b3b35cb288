import AsyncPrimitives
import TestSupport
import Testing

@testable import ParleyCLI

@Suite struct ArrivalsTests {
    @Test func whatCameBeforeTheMessageThatWasSentLastIsNotItsAnswer() async {
        var arrivals = Arrivals()
        arrivals.add()
        arrivals.beginSending()
        let answer = arrivals.take()
        #expect(await answer.value(within: .zero) == nil, "the welcome")
    }

    @Test func anAnswerThatCameAtOnceIsNotMissed() async {
        var arrivals = Arrivals()
        arrivals.beginSending()
        arrivals.add()
        arrivals.endSending()
        #expect(await arrivals.take().value(within: Patience.limit) != nil)
        #expect(await arrivals.take().value(within: .zero) == nil)
    }

    @Test func theAnswersToSeveralMessagesInARowAreAllWaitedFor() async {
        var arrivals = Arrivals()
        arrivals.beginSending()
        arrivals.add()
        arrivals.beginSending()
        arrivals.endSending()
        #expect(await arrivals.take().value(within: Patience.limit) != nil)
        let second = arrivals.take()
        arrivals.add()
        #expect(await second.value(within: Patience.limit) != nil)
    }

    @Test func aWaitForATextPassesOverOtherMessages() async {
        var arrivals = Arrivals()
        arrivals.beginSending()
        arrivals.add("Hello!")
        arrivals.add("You said: 7")
        #expect(await arrivals.take("you SAID").value(within: Patience.limit) != nil)
        let next = arrivals.take()
        #expect(await next.value(within: .zero) == nil, "the greeting was passed over")
        let later = arrivals.take("bye")
        arrivals.add("wait for it")
        arrivals.add("Goodbye")
        #expect(await later.value(within: Patience.limit) != nil)
    }

    @Test func aChangedMessageCountsForThoseWhoWaitForItsText() async {
        var arrivals = Arrivals()
        let any = arrivals.take(), text = arrivals.take("42")
        arrivals.change("The answer is 42")
        #expect(await text.value(within: Patience.limit) != nil)
        #expect(await any.value(within: .zero) == nil)
    }
}
