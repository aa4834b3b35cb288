import Foundation
import Parley
import ParleyTesting
import Testing

@testable import AssistantBot

@Suite(.timeLimit(.minutes(5))) struct AssistantBotTests {
    /// - Parameter patience: longer than any server of a test takes that answers.
    private func settings(_ address: String, patience: Duration = .seconds(120)) throws -> AssistantSettings {
        var settings = try AssistantSettings(["ASSISTANT_URL": address, "ASSISTANT_MODEL": "tiny", "ASSISTANT_KEY": "secret"])
        settings.editInterval = .milliseconds(200)
        settings.patience = patience
        settings.longestStream = 300_000
        return settings
    }

    @Test func anAnswerIsStreamedAndTheConversationGoesAlongAlsoAfterARestart() async throws {
        let server = try await ModelServer(.events(["Pa", "ris", "."]), .events(["Two million."]), .events(["Hello."]))
        try await withBots(AssistantBot.bot(Assistant(settings(server.address)))) { room in
            let ann = try await room.person("Ann")
            try await ann.expect(containing: "Hello!")
            try await ann.say("The capital of France?")
            try await ann.expect("Paris.", orGrowingTo: "Paris.")
            try await room.restart()
            try await ann.say("How many live there?")
            try await ann.expect("Two million.", orGrowingTo: "Two million.")
            try await ann.say("/reset")
            try await ann.expect("Forgotten.")
            try await ann.say("Hi")
            try await ann.expect("Hello.", orGrowingTo: "Hello.")
        }
        let requests = server.requests
        #expect(requests.count == 3)
        #expect(requests[0].contains("authorization: bearer secret") || requests[0].contains("Authorization: Bearer secret"))
        #expect(requests[0].contains("\"model\":\"tiny\""))
        #expect(requests[0].contains("\"stream\":true"))
        #expect(requests[1].contains("The capital of France?"))
        #expect(requests[1].contains("Paris."))
        #expect(!requests[2].contains("France"))
        try await server.close()
    }

    @Test func aPersonIsLimitedAndLongQuestionsAreRefused() async throws {
        let server = try await ModelServer(.events(["Yes."]))
        var settings = try settings(server.address)
        settings.questions = 2
        settings.longestQuestion = 10
        try await withBots(AssistantBot.bot(Assistant(settings))) { room in
            let ann = try await room.person("Ann")
            try await ann.expect(containing: "Hello!")
            try await ann.say("Is it so, really?")
            try await ann.expect("Please write at most 10 characters.")
            try await ann.say("Is it?")
            try await ann.expect("Yes.", orGrowingTo: "Yes.")
            try await ann.say("Is it?")
            try await ann.expect(containing: "Please wait a minute.")
        }
        #expect(server.requests.count == 1)
        try await server.close()
    }

    @Test(arguments: [
        ("500", "Sorry, the model has failed (500). Please try again later."),
        ("401", "Sorry, the model does not let me in. Its operator has to check my key."),
        ("hang", "Sorry, the model takes too long. Please try again."), ("silence", "Sorry, the model takes too long. Please try again."),
        ("utf8", "Sorry, I do not understand what the model says."), ("json", "Sorry, I do not understand what the model says."),
        ("line", "Sorry, I do not understand what the model says."), ("comments", "The answer is longer than I show."),
        ("nothing", "Sorry, the model has said nothing."), ("closed", "Sorry, the model has said nothing."), ("text", "The answer is longer than I show."),
    ])
    func whateverAServerDoesIsToldPolitely(_ kind: String, _ expected: String) async throws {
        typealias Answer = ModelServer.Answer
        let head = Array(Answer.head().utf8)
        let answer: Answer =
            switch kind {
            case "500": .bytes(Array((Answer.head("500 Internal Server Error") + "no").utf8))
            case "401": .bytes(Array((Answer.head("401 Unauthorized") + "no").utf8))
            case "hang": .hang(head)
            case "silence": .hang([])
            case "utf8": .bytes(head + Array("data: ".utf8) + [0xFF, 0xFE, 0x0A])
            case "json": .bytes(head + Array("data: {\"choices\":\n\n".utf8))
            case "line": .long(head + Array("data: ".utf8), [UInt8](repeating: 0x61, count: 65_536))
            case "comments": .long(head, Array(String(repeating: ": keep-alive\n", count: 5_000).utf8))
            case "nothing": .bytes(head + Array(Answer.done.utf8))
            case "text": .long(head, Array(Answer.event(String(repeating: "word ", count: 100)).utf8))
            default: .bytes(head)
            }
        let server = try await ModelServer(answer)
        var texts: [String] = []
        do {
            let settings = try settings(server.address, patience: ["hang", "silence"].contains(kind) ? .milliseconds(100) : .seconds(120))
            for try await text in ChatCompletion(settings, [AssistantTurn(role: .user, text: "?")]).parts() {
                texts.append(text)
                guard texts.reduce(0, { $0 + $1.count }) <= 12_000 else { throw AssistantError.tooLong }
            }
            if texts.isEmpty { throw AssistantError.empty }
            Issue.record("the answer has ended without an error")
        } catch let error as AssistantError {
            #expect(error.apology == expected)
        }
        try await server.close()
    }

    @Test func anErrorInTheMiddleIsToldBehindWhatHasCome() async throws {
        typealias Answer = ModelServer.Answer
        let server = try await ModelServer(
            .bytes(Array((Answer.head() + Answer.event("Once upon")).utf8) + Array("data: ".utf8) + [0xFF, 0x0A]), .events(["Again."]))
        try await withBots(AssistantBot.bot(Assistant(settings(server.address)))) { room in
            let ann = try await room.person("Ann")
            try await ann.expect(containing: "Hello!")
            try await ann.say("A story")
            let told = "Once upon\n\nSorry, I do not understand what the model says."
            try await ann.expect(told, orGrowingTo: told)
            try await ann.say("And now?")
            try await ann.expect("Again.", orGrowingTo: "Again.")
        }
        // What failed is no part of the next question.
        #expect(server.requests.last?.contains("Once upon") == false)
        try await server.close()
    }

    @Test func aServerThatIsNotThereIsTold() async throws {
        let server = try await ModelServer(.bytes([]))
        let settings = try settings(server.address)
        try await server.close()
        await #expect(throws: AssistantError.unreachable) {
            for try await _ in ChatCompletion(settings, []).parts() {}
        }
    }

    @Test func eventsAreReadHoweverTheirBytesAreCut() {
        let text =
            ModelServer.Answer.event("grüß dich 👋") + ": comment\r\nevent: x\r\n" + ModelServer.Answer.event("\n") + ModelServer.Answer.done + "data: rubbish\n"
        for size in [1, 2, 3, 7, 1_000] {
            var parser = EventStreamParser(upTo: 10_000), texts: [String] = [], isDone = false
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                let output = parser.take(bytes[start..<min(start + size, bytes.count)])
                texts += output.texts
                isDone = output.isDone
            }
            #expect(texts == ["grüß dich 👋", "\n"])
            #expect(isDone)
        }
    }

    @Test func theHistoryIsBounded() {
        var history = AssistantHistory()
        for number in 1...30 { history.add("question \(number)", "answer") }
        #expect(history.turns.count == AssistantHistory.maximumTurns)
        #expect(history.turns.first?.text == "question 21")
        history.add("q", String(repeating: "a", count: AssistantHistory.maximumCharacters))
        #expect(history.turns.map(\.text.count) == [1, AssistantHistory.maximumCharacters])
    }

    @Test func settingsThatAreMissingOrWrongAreTold() {
        for environment in [[:], ["ASSISTANT_URL": "ftp://x", "ASSISTANT_MODEL": "m"], ["ASSISTANT_URL": "http://x/v1"]] {
            #expect(throws: AssistantError.self) { try AssistantSettings(environment) }
        }
    }
}

extension TestPerson {
    /// Waits for a message that is complete, or grows until it is.
    fileprivate func expect(_ text: String, orGrowingTo complete: String) async throws {
        try await expect("the beginning of an answer") { _ in true }
        try await expectEdited(complete)
    }
}
