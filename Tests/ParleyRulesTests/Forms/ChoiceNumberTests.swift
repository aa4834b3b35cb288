import ChatProtocol
import ParleyTesting
import TestSupport
import Testing

@testable import ParleyRules

/// Answers to a question with choices that are numbers of any size: everybody can send them.
@Suite(.timeLimit(.minutes(5))) struct ChoiceNumberTests {
    private static let file = """
        parley: 1
        profiles:
          pizza:
            rules: [ { when: { command: order }, then: { form: order } } ]
            forms: { order: { questions: [ { name: kind, ask: Which kind?, choices: [Margherita, Funghi] } ], done: { send: "{{ form.kind }}" } } }
        """

    private func question() throws -> FormSpec.Question { try #require(try BotsFile(parsing: Self.file).profiles.first?.forms["order"]?.questions.first) }

    @Test("a number beyond the choices chooses nothing", arguments: ExtremeNumbers.texts + ["\(Int.min)", "\(Int.max)", "\(Int.min + 1)", "-0", "3", "-2"])
    func extremes(_ text: String) throws { #expect(try question().accepted(text) == (text == "1" ? "Margherita" : text == "2" ? "Funghi" : nil)) }

    @Test func aBotThatIsAnsweredWithTheLeastNumberAsksOnce() async throws {
        try await withBots(try BotsFile(parsing: Self.file).makeBots()) { room in
            let ann = try await room.person("Ann")
            try await ann.say("/order")
            try await ann.expect("Which kind?\n1. Margherita\n2. Funghi")
            try await ann.say("\(Int.min)")
            try await ann.expect("Please answer with one of: Margherita, Funghi")
            try await ann.say("2")
            try await ann.expect("Funghi")
        }
    }
}
