import Testing

@testable import Parley

/// The question for members who wait to be admitted. `DirectoryBotTests` has a bot ask it.
@Suite struct CaptchaTests {
    @Test func attemptsAndTimeAreBounded() {
        #expect(Captcha(attempts: 0, within: .seconds(-1)) == Captcha(attempts: 1, within: .seconds(1)))
        #expect(Captcha(attempts: .max, within: .seconds(Int64.max)) == Captcha(attempts: 10, within: .seconds(7 * 86_400)))
        #expect(Captcha().attempts == 3 && Captcha().limit == .seconds(3_600))
    }

    @Test func theAnswersNeedNoOtherHandler() {
        let bot = Bot("Door") {
            On(.memberPending) { try await $0.ask(Captcha()) }
            On.captchaAnswers
            On(.anyMessage) { try await $0.send("Hello") }
        }
        #expect(bot.validationErrors == [])
    }
}
