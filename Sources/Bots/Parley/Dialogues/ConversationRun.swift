internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Synchronization

/// One run of the function of a conversation, from its beginning to a question that is not answered, or to its end.
final class ConversationRun: Sendable {
    /// The point at which the run has left the function.
    private enum Ending {
        /// A question waits for its answer.
        case paused
        /// The record does not fit the function.
        case changed
    }

    /// The treatment of a step.
    enum Turn {
        /// It was done, and returned this.
        case recorded(String)
        /// It is a question, and this is the answer.
        case answered(MessageContext)
        case new
    }

    /// The fixed texts of the framework, as the bot has them.
    var texts: BotTexts { chat.effects.services?.texts ?? BotTexts() }

    private struct State {
        var record: ConversationRecord
        /// The number of the step that comes next, from 0.
        var next = 0
        /// The answer, until its question has been reached.
        var answer: MessageContext?
        var ending: Ending?
        var isBusy = false
    }

    let plan: ConversationPlan
    let chat: BotChat
    let person: PersonID
    /// The message that is handled; nil if the conversation begins with another event.
    let message: MessageContext?
    private let state: Mutex<State>

    init(_ plan: ConversationPlan, _ record: ConversationRecord, chat: BotChat, person: PersonID, message: MessageContext?, answer: MessageContext?) {
        self.plan = plan
        self.chat = chat
        self.person = person
        self.message = message
        state = Mutex(State(record: record, answer: answer))
    }

    /// The text of the message that began the conversation.
    var beginning: String { state.withLock(\.record.text) }

    // MARK: The whole

    /// Runs the function, and stores how far it has come.
    func run() async throws {
        var failure: (any Error)?
        do {
            try await plan.body(ConversationContext(run: self))
        } catch {
            // Only the end of the bots cancels the tasks of handlers: the event is handled at the next start.
            if Task.isCancelled { throw error }
            failure = error
        }
        let (ending, record, next) = state.withLock { ($0.ending, $0.record, $0.next) }
        switch ending {
        case .paused: return try await store(record)
        case .changed: return try await fail(with: plan.texts.changed, Self.changed)
        case nil: break
        }
        if let failure { return try await fail(with: plan.texts.failed, failure) }
        // The function has come to its end before it reached everything that is recorded.
        guard next == record.steps.count, record.question == nil else { return try await fail(with: plan.texts.changed, Self.changed) }
        try await end()
    }

    /// Ends the conversation because the person wishes it.
    func cancel() async throws {
        if let text = plan.texts.cancelled { try await send(text, step: "cancelled") }
        try await end()
    }

    private func store(_ record: ConversationRecord) async throws {
        let longest = Date(timeIntervalSince1970: record.began + Conversation.longestDuration.seconds)
        guard chat.effects.now < longest else {
            return try await fail(
                with: plan.texts.failed, ConversationStepError(.tooLong, "the conversation has been going on for \(Conversation.longestDuration)"))
        }
        let json: Data
        do {
            json = try StateCoding.json(record, name: plan.name)
        } catch {
            return try await fail(with: plan.texts.failed, error)
        }
        let expires = min(chat.effects.now.addingTimeInterval(plan.timeout.seconds), longest)
        let stored = DialogueRecord(name: ConversationRecord.name(plan.name), state: json, expires: expires)
        try await chat.effects.setDialogue(stored, named: stored.name, of: person.description, in: chat.info.reference)
    }

    private func end() async throws { try await end(through: chat.effects) }

    private func end(through effects: Effects) async throws {
        try await effects.setDialogue(nil, named: ConversationRecord.name(plan.name), of: person.description, in: chat.info.reference)
    }

    /// Tells the person that the conversation is over, and throws what has ended it.
    private func fail(with text: String?, _ error: any Error) async throws {
        // What a handler that throws has changed is not stored: the end of the conversation is stored at once.
        try await end(through: effects(step: "failed", changes: nil))
        if let text { try await send(text, step: "failed") }
        throw error
    }

    private static let changed = ConversationStepError(
        .changed, "the recorded steps do not fit the function any more: name questions that change with named:, and let open conversations end before an update"
    )

    // MARK: Steps

    /// Begins a step. It is over with ``finish(_:)`` or ``pause(_:)``, unless it was recorded.
    ///
    /// - Parameter isQuestion: whether the step waits for an answer.
    /// - Throws: ``ConversationPause`` once the run is over; ``ConversationStepError``.
    func take(_ mark: String, isQuestion: Bool = false) throws -> Turn {
        try state.withLock { state in
            guard state.ending == nil else { throw ConversationPause() }
            guard !state.isBusy else { throw ConversationStepError(.parallelSteps, "a step began while another one ran: await one after the other") }
            if state.next < state.record.steps.count {
                let step = state.record.steps[state.next]
                guard step.mark == mark else { return try Self.leave(&state) }
                state.next += 1
                return .recorded(step.value)
            }
            guard state.next < Conversation.maximumSteps else {
                throw ConversationStepError(.tooManySteps, "the conversation has more than \(Conversation.maximumSteps) steps")
            }
            if let question = state.record.question {
                // Nothing may happen before the answer is where it belongs.
                guard isQuestion, question.mark == mark, let answer = state.answer.take() else { return try Self.leave(&state) }
                state.isBusy = true
                return .answered(answer)
            }
            state.isBusy = true
            return .new
        }
    }

    private static func leave(_ state: inout State) throws -> Turn {
        state.ending = .changed
        throw ConversationPause()
    }

    /// The recorded value cannot be read as what the step returns now.
    func leave() throws -> Never {
        state.withLock { $0.ending = .changed }
        throw ConversationPause()
    }

    /// Records what a step has returned.
    func finish(_ mark: String, _ value: String) {
        state.withLock { state in
            state.record.steps.append(ConversationRecord.Step(mark: mark, value: value))
            state.record.question = nil
            state.next += 1
            state.isBusy = false
        }
    }

    /// The step has thrown.
    func abandon() { state.withLock { $0.isBusy = false } }

    /// Leaves the function until the person answers.
    func pause(_ mark: String, refusing isRefusal: Bool) -> ConversationPause {
        state.withLock { state in
            var question = state.record.question ?? ConversationRecord.Question(mark: mark)
            if isRefusal { question.refusals += 1 }
            state.record.question = question
            state.ending = .paused
            state.isBusy = false
        }
        return ConversationPause()
    }

    // MARK: Effects

    /// The key of the current step and attempt, the same whenever it is run.
    var stepKey: String { state.withLock { "\($0.next)" + ($0.record.question.map { ".\($0.refusals + 1)" } ?? "") } }

    /// The key of all effects of the conversation.
    private var key: String { state.withLock { "\(ConversationRecord.name(plan.name))/\($0.record.id)" } }

    func idempotencyKey(step: String) -> String { "\(key)/\(step)" }

    private func effects(step: String, changes: HandlerChanges?) -> Effects {
        chat.effects.named(idempotencyKey(step: step), changes: changes)
    }

    /// The chat, with effects that happen once for a step.
    func chat(step: String) -> BotChat {
        BotChat(bot: chat.bot, info: chat.info, effects: effects(step: step, changes: chat.effects.changes), post: chat.post)
    }

    /// Sends a text for a step. In a group it quotes the person, so that everybody sees whom it is for.
    func send(_ text: String, step: String) async throws {
        let quoted = chat.kind == .contacts ? nil : message?.item.id
        try await chat(step: step).send(.text(text), quoting: quoted)
    }
}

/// Leaves the function of a conversation until the next answer. Functions let it pass.
struct ConversationPause: Error {}
