import Foundation
import Parley

/// Answers with a language model behind an HTTP endpoint that is compatible with OpenAI's. Run it with
/// `ASSISTANT_URL=http://127.0.0.1:11434/v1 ASSISTANT_MODEL=llama3 swift run AssistantBot`.
///
/// The answer is streamed into a live message. The last messages of each chat are stored, and go along with the next question; `/reset` deletes them.
@main struct AssistantBot {
    static func main() async {
        do {
            let settings = try AssistantSettings(ProcessInfo.processInfo.environment)
            await bot(Assistant(settings)).run()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(2)
        }
    }

    static func bot(_ assistant: Assistant) -> Bot {
        Bot("Assistant", bio: "I answer with a language model", address: .automatic(welcome: "Hello! Ask me something. /reset makes me forget what we said.")) {
            On.help("I answer with a language model. What you write is sent to its server.")
            On(.command("reset", "Forget what we said")) { message in
                try await message.update(AssistantHistory.self) { $0 = AssistantHistory() }
                try await message.send("Forgotten.")
            }
            Handlers {
                Use(
                    .limit(assistant.settings.questions, per: .seconds(60)) { call in
                        try await call.message?.reply("That is a lot of questions. Please wait a minute.")
                    })
                On(.text) { message in try await assistant.answer(message) }
            }
            On(.anyMessage) { message in try await message.reply("I read text only.") }
        }
    }
}

/// The settings of the assistant.
struct AssistantSettings: Sendable {
    /// The endpoint: the base address with `/chat/completions` behind it.
    var endpoint: URL
    var model: String
    /// The secret that the endpoint asks for; nil for none.
    var key: String?
    /// The instruction before all messages.
    var instruction = "You are a helpful assistant in a messenger. Answer briefly, in plain text."
    /// Questions of one person in a minute.
    var questions = 6
    /// Characters of a question at the most.
    var longestQuestion = 4_000
    /// Characters of an answer at the most. What goes on is cut off.
    var longestAnswer = 12_000
    /// Bytes of an answer at the most, with everything around its text.
    var longestStream = 4 * 1024 * 1024
    /// The time between two edits of the live message.
    var editInterval = Duration.seconds(1)
    /// The longest wait for the next part of an answer.
    var patience = Duration.seconds(30)
    /// The longest time for a whole answer.
    var limit = Duration.seconds(180)

    /// - Throws: ``AssistantError/settings(_:)``.
    init(_ environment: [String: String]) throws(AssistantError) {
        guard let text = environment["ASSISTANT_URL"], let base = URL(string: text), ["http", "https"].contains(base.scheme), base.host?.isEmpty == false else {
            throw .settings("ASSISTANT_URL must be the address of the endpoint, as in http://127.0.0.1:11434/v1")
        }
        guard let model = environment["ASSISTANT_MODEL"], !model.isEmpty else { throw .settings("ASSISTANT_MODEL must name the model") }
        endpoint = base.appendingPathComponent("chat/completions")
        self.model = model
        key = environment["ASSISTANT_KEY"].flatMap { $0.isEmpty ? nil : $0 }
        if let instruction = environment["ASSISTANT_PROMPT"] { self.instruction = instruction }
    }
}
