import AsyncPrimitives
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
        #expect(await arrivals.take().value(within: .seconds(60)) != nil)
        #expect(await arrivals.take().value(within: .zero) == nil)
    }

    @Test func theAnswersToSeveralMessagesInARowAreAllWaitedFor() async {
        var arrivals = Arrivals()
        arrivals.beginSending()
        arrivals.add()
        arrivals.beginSending()
        arrivals.endSending()
        #expect(await arrivals.take().value(within: .seconds(60)) != nil)
        let second = arrivals.take()
        arrivals.add()
        #expect(await second.value(within: .seconds(60)) != nil)
    }
}
