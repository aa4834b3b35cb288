import Foundation
import Parley

/// Answers questions, with what was said before.
struct Assistant: Sendable {
    let settings: AssistantSettings

    init(_ settings: AssistantSettings) { self.settings = settings }

    /// Answers a message in a live message. Whatever goes wrong is told there.
    func answer(_ message: MessageContext) async throws {
        let question = message.text
        guard question.count <= settings.longestQuestion else {
            try await message.reply("Please write at most \(settings.longestQuestion) characters.")
            return
        }
        let history = try await message.state(AssistantHistory.self)
        let live = try await message.chat.sendLive("…", quoting: message.id, every: settings.editInterval)
        var answer = ""
        do {
            let request = ChatCompletion(settings, history.turns + [AssistantTurn(role: .user, text: question)])
            for try await part in request.parts() {
                answer += part
                guard answer.count <= settings.longestAnswer else { throw AssistantError.tooLong }
                try await live.update(answer)
            }
            guard !answer.isEmpty else { throw AssistantError.empty }
        } catch let error as AssistantError {
            // What has come is shown. It is no part of the next question.
            let shown = String(answer.prefix(settings.longestAnswer))
            return try await live.finish(shown.isEmpty ? error.apology : "\(shown)\n\n\(error.apology)")
        }
        let complete = answer
        try await live.finish(complete)
        try await message.update(AssistantHistory.self) { $0.add(question, complete) }
    }
}

/// A message of a conversation with the model.
struct AssistantTurn: Codable, Sendable, Hashable {
    enum Role: String, Codable, Sendable {
        case system, user, assistant
    }

    var role: Role
    var text: String
}

/// The last messages of a chat.
struct AssistantHistory: StoredState, Hashable {
    /// Questions and answers that are kept at the most.
    static let maximumTurns = 20
    /// Characters that are kept at the most.
    static let maximumCharacters = 24_000

    private(set) var turns: [AssistantTurn] = []

    /// Adds a question with its answer, and forgets the oldest ones that are too much.
    mutating func add(_ question: String, _ answer: String) {
        turns += [AssistantTurn(role: .user, text: question), AssistantTurn(role: .assistant, text: answer)]
        while turns.count > 2, turns.count > Self.maximumTurns || turns.reduce(0, { $0 + $1.text.count }) > Self.maximumCharacters { turns.removeFirst(2) }
    }
}

/// The reason why there is no answer.
enum AssistantError: Error, Hashable, CustomStringConvertible {
    case settings(String)
    case unreachable
    case status(Int)
    case timedOut
    case malformed
    case tooLong
    case empty

    /// A sentence for the person who asked.
    var apology: String {
        switch self {
        case .settings(let text): text
        case .unreachable: "Sorry, the model cannot be reached. Please try again later."
        case .status(401), .status(403): "Sorry, the model does not let me in. Its operator has to check my key."
        case .status(429): "Sorry, the model is busy. Please try again in a minute."
        case .status(let code): "Sorry, the model has failed (\(code)). Please try again later."
        case .timedOut: "Sorry, the model takes too long. Please try again."
        case .malformed: "Sorry, I do not understand what the model says."
        case .tooLong: "The answer is longer than I show."
        case .empty: "Sorry, the model has said nothing."
        }
    }

    var description: String { apology }
}
