import Testing

@testable import Parley

/// The questions for those who wait at the door, and what follows from their answers.
@Suite struct CaptchaQuestionTests {
    private static func question(_ round: Int, person: String = "#1/2", secret: String = "s") -> CaptchaQuestion {
        CaptchaQuestion(secret: secret, person: person, round: round)
    }

    @Test func theSameQuestionIsAskedAgainAndAnotherPersonOrRoundOrBotGetsAnother() {
        #expect(Self.question(1) == Self.question(1))
        let others = (1...50).flatMap { [Self.question($0), Self.question($0, person: "#1/3"), Self.question($0, secret: "t")] }
        #expect(Set(others).count > 100, "of 324")
    }

    @Test func bothNumbersAreFromTwoToNineteenAndOneIsAWord() {
        for round in 0..<2_000 {
            let question = Self.question(round)
            #expect(2...19 ~= question.left && 2...19 ~= question.right)
            #expect(question.text.hasSuffix("plus \(question.right)?") && !question.text.contains("\(question.left) plus"))
        }
    }

    @Test(arguments: [
        ("%", true), (" %\n", true), ("+%", true), ("0%", true), ("%.", false), ("%.0", false), ("% %", false), ("", false), ("-%", false), ("it is %", false),
        ("%%%%%%%%%%%%%%%%%%%%%%%%", false),
    ]) func anAnswerIsTheNumberAndNothingElse(_ form: String, _ isRight: Bool) {
        let question = Self.question(1)
        let answer = form.replacing("%", with: "\(question.left + question.right)")
        #expect(question.isAnswered(by: answer) == isRight)
        #expect(!question.isAnswered(by: form.replacing("%", with: "\(question.left + question.right + 1)")))
    }

    @Test(arguments: [
        (3, true, 0.0, CaptchaOutcome.passed), (3, true, 100, .passed), (3, true, 100.001, .failed), (1, true, 50, .passed),
        (3, false, 50, .again(CaptchaProgress(round: 8, attempts: 2, deadline: 100))),
        (2, false, 100, .again(CaptchaProgress(round: 8, attempts: 1, deadline: 100))),
        (1, false, 50, .failed), (0, false, 50, .failed), (3, false, 101, .failed),
    ]) func attemptsAndTimeRunOut(_ attempts: Int, _ isRight: Bool, _ now: Double, _ outcome: CaptchaOutcome) {
        #expect(CaptchaProgress(round: 7, attempts: attempts, deadline: 100).outcome(isRight: isRight, at: now) == outcome)
    }

    @Test func aSecretIsDrawnAnewEachTime() { #expect(Set((1...20).map { _ in CaptchaSecret.draw() }).count == 20) }
}
