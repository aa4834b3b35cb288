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

    @Test func oneNumberIsAWordAndTheSumsAreSpreadSoThatGuessingSeldomHelps() {
        var sums: [Int: Int] = [:]
        for round in 0..<2_000 {
            let question = Self.question(round)
            sums[question.sum, default: 0] += 1
            #expect(2...19 ~= question.left && 2...99 ~= question.right)
            #expect(question.text.hasSuffix("plus \(question.right)?") && !question.text.contains("\(question.left) plus"))
        }
        #expect(sums.values.max() ?? 0 < 60, "the likeliest sum is right once in 98 times")
    }

    @Test(arguments: [
        ("%", true), (" %\n", true), ("+%", true), ("0%", true), ("%.", true), ("%.0", false), ("% %", false), ("", false), ("-%", false), ("it is %", true),
        ("%%%%%%%%%%%%%%%%%%%%%%%%", false), ("%!", true), ("= %", true), ("*%*", true), ("\u{200F}%", true), ("(%)", true),
        ("The answer is: %, I think.", true),
        ("= -%", false), ("\u{2212}%", false), ("% or 7", false), ("1 2 3 % 5", false), ("%,5", false), ("_%_\u{200B}", true), ("answer-%", true),
        ("№ %", true),
    ]) func anAnswerIsOneNumberAloneOrInAShortSentence(_ form: String, _ isRight: Bool) {
        let question = Self.question(1)
        let answer = form.replacing("%", with: "\(question.left + question.right)")
        #expect(question.isAnswered(by: answer) == isRight)
        #expect(!question.isAnswered(by: form.replacing("%", with: "\(question.left + question.right + 1)")))
    }

    @Test func digitsOfAllScriptsAndNumbersInWordsAreAnswers() {
        for round in 1...40 {
            let question = Self.question(round), sum = question.sum
            for zero: UInt32 in [0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10, 0x1D7CE, 0x1D7EC] {
                let digits = String(sum).unicodeScalars.compactMap { Unicode.Scalar(zero + $0.value - 0x30) }
                var text = ""
                text.unicodeScalars.append(contentsOf: digits)
                #expect(question.isAnswered(by: text), "\(text)")
            }
            let keys = String(sum).map { "\($0)\u{FE0F}\u{20E3}" }.joined()
            #expect(question.isAnswered(by: keys))
            let words = NumberWords.spelled(sum, in: "en") ?? ""
            #expect(question.isAnswered(by: words) && question.isAnswered(by: words.replacing("-", with: " ").uppercased() + "!"))
            #expect(question.isAnswered(by: "It is \(words)."))
            #expect(question.isAnswered(by: "\(question.left) + \(question.right) = \(sum)"))
            #expect(question.reading(of: NumberWords.spelled(sum, in: "de") ?? "", language: "de") == .number(sum))
            #expect(question.reading(of: NumberWords.spelled(sum, in: "fr") ?? "", language: "fr") == .number(sum))
        }
    }

    @Test(arguments: [
        "Hello, how do I get in?", "what?", "no idea", "", "👍", "One moment, please", "I want two things", String(repeating: "17 ", count: 200),
    ]) func aTextWithoutANumberIsNoAttempt(_ text: String) {
        let progress = CaptchaProgress(round: 7, attempts: 1, deadline: 100), question = Self.question(7)
        guard case .remind(let next) = progress.outcome(of: text, to: question, at: 50) else {
            Issue.record("\(progress.outcome(of: text, to: question, at: 50))")
            return
        }
        #expect(next.attempts == 1 && next.round == 7)
        #expect(progress.outcome(of: text, to: question, at: 101) == .failed)
    }

    @Test func whoRepeatsTheQuestionHasNotAnswered() {
        let question = Self.question(7), progress = CaptchaProgress(round: 7, attempts: 1, deadline: 100)
        guard case .remind = progress.outcome(of: question.text, to: question, at: 0) else {
            Issue.record("an attempt")
            return
        }
    }

    @Test func theQuestionIsRepeatedThreeTimesAndAWrongAnswerStillCounts() {
        var progress = CaptchaProgress(round: 7, attempts: 2, deadline: 100)
        let question = Self.question(7)
        for _ in 1...3 {
            guard case .remind(let next) = progress.outcome(of: "hello", to: question, at: 0) else {
                Issue.record("not repeated")
                return
            }
            progress = next
        }
        #expect(progress.outcome(of: "hello", to: question, at: 0) == .ignored)
        #expect(progress.outcome(of: "\(question.sum)", to: question, at: 0) == .passed)
        #expect(progress.outcome(of: "1", to: question, at: 0) == .again(CaptchaProgress(round: 8, attempts: 1, deadline: 100)))
    }

    @Test func aWrongAnswerSaysHowManyTriesAreLeft() {
        let question = Self.question(2)
        #expect(question.text(nil, attempts: 1) == "That is not right. One try is left. " + question.text)
        #expect(question.text(nil, attempts: 3).hasPrefix("That is not right. 3 tries are left. "))
    }

    @Test func theTextsCanBeInWordsOfOnesOwn() {
        let texts = CaptchaTexts(question: "Wie viel ist {{ captcha.sum }}?", wrong: "Falsch, noch {{ captcha.attempts }}:", language: "de")
        let question = Self.question(3), word = NumberWords.spelled(question.left, in: "de") ?? ""
        #expect(question.text(texts) == "Wie viel ist \(word) + \(question.right)?")
        #expect(question.text(texts, attempts: 2) == "Falsch, noch 2: Wie viel ist \(word) + \(question.right)?")
        #expect(Self.question(3).text(CaptchaTexts(question: "Hallo!")).hasPrefix("Hallo! "), "the sum is never missing")
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
