import Foundation
import Parley
import Testing

@testable import ParleyRules

/// The memory of rules, as values.
@Suite struct RuleMemoryTests {
    private func rules(_ text: String) throws -> RuleSet {
        let file = try BotsFile(parsing: "parley: 1\nprofiles:\n  a:\n    rules:\n" + text)
        return try RuleSet(try #require(file.profiles.first).rules)
    }

    private func fault(_ text: String) -> String {
        do {
            _ = try rules(text)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func pointsExpireAndAddUpAndAreTakenBack() {
        var memory = RuleMemory()
        memory.apply(.warned(RuleMemory.Warning(points: 2, expires: 100, number: 1), at: 10))
        memory.apply(.warned(RuleMemory.Warning(points: 3, expires: nil, number: 2), at: 20))
        #expect(memory.points(at: 99) == 5)
        #expect(memory.points(at: 100) == 3)
        memory.apply(.revoked(2))
        #expect(memory.points(at: 50) == 2)
        memory.apply(.forgiven(memory.warnings))
        #expect(memory.points(at: 50) == 0)
    }

    @Test func whatIsRememberedIsBounded() {
        var memory = RuleMemory()
        for index in 0..<(RuleMemory.maximumRuns + 10) { memory.apply(.ran("rule \(index)", at: Double(index))) }
        for index in 0..<(RuleMemory.maximumWarnings + 10) { memory.apply(.warned(RuleMemory.Warning(points: 1, expires: nil, number: index), at: 0)) }
        #expect(memory.runs.count == RuleMemory.maximumRuns)
        #expect(memory.runs["rule 0"] == nil)
        #expect(memory.warnings.count == RuleMemory.maximumWarnings)
        #expect(memory.warnings.first?.number == 10)
        var record = ModerationRecord()
        for number in 1...(ModerationRecord.maximumCases + 5) {
            record.add(ModerationCase(number: number, rule: "r", action: "warn", name: "Ann", evidence: "", time: 0))
        }
        #expect(record.cases.count == ModerationRecord.maximumCases)
        #expect(record.open(1) == nil)
        #expect(record.open(nil)?.number == ModerationRecord.maximumCases + 5)
    }

    @Test func casesThatTwoHandlersOpenAtOnceGetNumbersOfTheirOwn() {
        var record = ModerationRecord()
        for name in ["Ann", "Bob"] { record.add(ModerationCase(number: 1, rule: "r", action: "block", name: name, evidence: "", time: 0)) }
        #expect(record.cases.map(\.number) == [1, 2])
        record.markUndone(2, by: "Cem")
        #expect(record.open(nil)?.number == 1)
        #expect(record.list == "2: block Bob, rule r, undone by Cem\n1: block Ann, rule r")
    }

    @Test func aRuleThatIsAuditedIsNotSpent() throws {
        let rules = try rules("      - { id: hi, when: { message: any }, then: { send: x }, once: person, mode: audit }\n")
        var turn = RuleTurn(rules, MemoryScopes(person: "@1", target: "@1", chat: "@1"), memories: [:], now: 0)
        #expect(turn.decide(RuleInput(event: .message, kind: .text, text: "x")).count == 1)
        #expect(turn.memories["@1"]?.runs.keys.sorted() == ["audit/hi"])
    }

    @Test func aClockThatWasSetBackDoesNotSilenceARule() throws {
        let rules = try rules("      - { id: hi, when: { message: any }, then: { send: x }, cooldown: 10m }\n")
        let rule = try #require(rules.rules.first)
        var memory = RuleMemory()
        memory.apply(.ran("hi", at: 10_000))
        #expect(!memory.admits(rule, at: 10_500))
        #expect(memory.admits(rule, at: 10_600))
        #expect(!memory.admits(rule, at: 9_500))
        #expect(memory.admits(rule, at: 5_000))
    }

    @Test func countsAreBoundedAndForgetWhatIsOld() {
        var arrivals = Arrivals()
        for second in 0..<5_000 { arrivals.note("a", at: Double(second), keeping: 10_000) }
        #expect(arrivals.count("a", within: 10_000, at: 5_000) == Arrivals.maximumCount)
        #expect(arrivals.count("a", within: 10, at: 5_000) == 9)
        for key in 0..<(Arrivals.maximumKeys * 2) { arrivals.note("key \(key)", at: 6_000 + Double(key), keeping: 10) }
        #expect(arrivals.count("a", within: 100_000, at: 30_000) == 0)
        #expect(arrivals.count("key \(Arrivals.maximumKeys * 2 - 1)", within: 100_000, at: 30_000) == 1)
    }

    @Test(arguments: [
        ("{ when: { message: any }, then: { send: x }, once: person }", "needs an id"),
        ("{ id: a, when: { message: any }, then: { send: x }, once: person, cooldown: 1m }", "not both"),
        ("{ id: a, when: { message: any }, then: { send: x }, cooldown: soon }", "a time is written"),
        ("{ id: a, when: { request: true }, then: { accept: true }, once: bot }", "not remembered before the connection"),
        ("{ when: { warned: 3 }, then: { send: x } }", "write a comparison"),
        ("{ when: { warned: \">= 3\" }, then: { warn: true } }", "would not end"),
        ("{ when: { message: any }, then: { warn: true } }", "chats with contacts"),
        ("{ when: { text: hi, chat: group }, then: { warn: 0 } }", "from 1 to 100"),
        ("{ when: { text: hi, chat: group }, then: { send: \"{{ points }}\" } }", "neither warns"),
        ("{ when: { command: undo, chat: group }, then: { undo: true } }", "everybody could use it"),
        ("{ when: { command: undo, role: [member, admin] }, then: { undo: true } }", "everybody could use it"),
        ("{ when: { text: undo, role: admin }, then: { undo: true } }", "answers a command"),
        ("{ when: { member: joined }, then: { captcha: true } }", "member: pending"),
        ("{ when: { member: pending }, then: { captcha: { attempts: 0 } } }", "from 1 to 10"),
        ("{ when: { text: x }, then: { form: order } }", "there is no form"),
        ("{ when: { message: any, rate: 5 }, then: { send: x } }", "> 5 in 10s"),
        ("{ when: { message: any, rate: \"> 5 in 2d\" }, then: { send: x } }", "a day at the most"),
        ("{ when: { message: any, rate: \"> 5 in 0s\" }, then: { send: x } }", "> 5 in 10s"),
        ("{ when: { member: joined, rate: { of: \"> 5 in 1m\", count: lines } }, then: { send: x } }", "no text to count"),
        ("{ when: { text: x }, then: { tell: { chat: Staff } } }", "needs the key \"text\""),
    ])
    func whatCannotBeMeantIsRefused(_ rule: String, _ words: String) {
        #expect(fault("      - \(rule)\n").contains(words), "\(fault("      - \(rule)\n"))")
    }

    @Test func aCaptchaIsASumThatFollowsFromTheSecret() {
        let question = CaptchaQuestion(secret: "s", person: "#1/2", round: 1)
        #expect(question == CaptchaQuestion(secret: "s", person: "#1/2", round: 1))
        #expect((1...20).contains { CaptchaQuestion(secret: "s", person: "#1/2", round: $0) != question })
        #expect(question.isAnswered(by: " \(question.left + question.right)\n"))
        #expect(!question.isAnswered(by: "\(question.left + question.right + 1)"))
        #expect(!question.isAnswered(by: "what?"))
        let progress = CaptchaProgress(round: 1, attempts: 2, deadline: 100)
        #expect(progress.outcome(isRight: true, at: 100) == .passed)
        #expect(progress.outcome(isRight: true, at: 101) == .failed)
        #expect(progress.outcome(isRight: false, at: 1) == .again(CaptchaProgress(round: 2, attempts: 1, deadline: 100)))
        #expect(CaptchaProgress(round: 2, attempts: 1, deadline: 100).outcome(isRight: false, at: 1) == .failed)
    }
}
