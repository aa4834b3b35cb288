internal import ChatAPI

/// The means of a conversation's function: everything that it does is a step.
///
/// Steps run one after the other. A step that is done is recorded, and is not done again when the function runs for the next answer. Errors of steps
/// pass through the function: one that catches them continues with the next step at its own risk, and cannot hold up a pause.
public struct ConversationContext: Sendable {
    let run: ConversationRun

    /// The bot.
    public var bot: BotIdentity { run.chat.bot }
    /// The person with whom the bot talks.
    public var person: PersonID { run.person }
    /// The name that the contact or group goes by.
    public var chatName: String { run.chat.displayName }
    /// The text of the message that began the conversation; empty if it was another event.
    public var beginning: String { run.beginning }
    /// The text after the command that began the conversation; empty without one.
    public var arguments: String { SlashCommand(beginning)?.arguments ?? "" }

    /// Asks a question and waits for its answer. An answer that cannot be used is answered with what is expected, and waits again.
    ///
    /// - Parameters:
    ///   - name: tells the step in later versions of the program; the question itself if it is not given. Needed for a question whose text can change
    ///     while the conversation is open.
    /// - Returns: the answer.
    public func ask<Value: Codable & Sendable>(_ question: String, _ answer: Answer<Value>, named name: String? = nil) async throws -> Value {
        let mark = ConversationRecord.mark("ask", (name ?? question) + "\u{0}" + answer.kind)
        switch try run.take(mark, isQuestion: true) {
        case .recorded(let json): return try recorded(json)
        case .answered(let message):
            return try await finishing {
                do throws(AnswerError) {
                    let value = try answer.read(message)
                    run.finish(mark, try json(value))
                    return value
                } catch {
                    try await run.send(error.text.text(in: run.texts), step: run.stepKey)
                    throw run.pause(mark, refusing: true)
                }
            }
        case .new:
            return try await finishing {
                try await run.send(answer.question(question), step: run.stepKey)
                throw run.pause(mark, refusing: false)
            }
        }
    }

    /// Asks a question that is answered with any text of at most 2,000 characters.
    public func ask(_ question: String, named name: String? = nil) async throws -> String { try await ask(question, .text(), named: name) }

    /// Asks for one of the cases of an enumeration, by its number in the list or its raw value.
    public func choose<Value: CaseIterable & RawRepresentable & Codable & Sendable>(
        _ question: String, of type: Value.Type = Value.self, named name: String? = nil
    ) async throws -> Value where Value.RawValue == String { try await ask(question, .choice(of: type), named: name) }

    /// Asks for one of some texts, by its number in the list or the text.
    ///
    /// - Parameter options: at least one, each once.
    public func choose(_ question: String, from options: [String], named name: String? = nil) async throws -> String {
        try await ask(question, .choice(from: options), named: name)
    }

    /// Asks a question that is answered with yes or no.
    public func confirm(_ question: String, named name: String? = nil) async throws -> Bool { try await ask(question, .yesOrNo, named: name) }

    /// Sends a text.
    public func say(_ text: String) async throws {
        let mark = "say"
        guard case .new = try run.take(mark) else { return }
        try await finishing {
            try await run.send(text, step: run.stepKey)
            run.finish(mark, "")
        }
    }

    /// Does anything else as a step of its own: changes of stored values, messages to others, calls of other services.
    ///
    /// The work runs once, and what it returns is recorded. A process that dies before the next question, or before the end, runs it again: messages that it
    /// sends are then sent once all the same, its changes of stored values are made once, and to other services it says ``StepContext/idempotencyKey``.
    ///
    /// - Parameter name: tells the step in later versions of the program.
    public func perform<Value: Codable & Sendable>(
        _ name: String, _ work: @Sendable (StepContext) async throws -> Value
    ) async throws -> Value {
        let mark = ConversationRecord.mark("do", name)
        if case .recorded(let json) = try run.take(mark) { return try recorded(json) }
        return try await finishing {
            let step = run.stepKey
            let value = try await work(StepContext(chat: run.chat(step: step), person: run.person, idempotencyKey: run.idempotencyKey(step: step)))
            run.finish(mark, try ConversationRecord.json(value))
            return value
        }
    }

    /// Does anything else as a step of its own.
    public func perform(_ name: String, _ work: @Sendable (StepContext) async throws -> Void) async throws {
        _ = try await perform(name) { step in
            try await work(step)
            return true
        }
    }

    private func recorded<Value: Decodable>(_ json: String) throws -> Value {
        do {
            return try ConversationRecord.value(json)
        } catch {
            try run.leave()
        }
    }

    private func json(_ value: some Encodable) throws(AnswerError) -> String {
        do {
            return try ConversationRecord.json(value)
        } catch {
            throw AnswerError(.answerNotStored)
        }
    }

    private func finishing<Value>(_ step: () async throws -> Value) async throws -> Value {
        do {
            return try await step()
        } catch {
            if !(error is ConversationPause) { run.abandon() }
            throw error
        }
    }
}

/// A step of a conversation, with everything that handlers can do. Its effects happen once for the step.
public struct StepContext: ChatContext {
    /// The chat.
    public let chat: BotChat
    /// The person with whom the bot talks.
    public let person: PersonID
    /// The key of the step, the same whenever it is run: for services outside of Parley that know idempotency keys.
    public let idempotencyKey: String
}
