internal import ChatAPI
internal import Foundation

/// A message that continues a dialogue.
public struct DialogueContext<State: DialogueState>: ChatContext {
    /// The message.
    public let message: MessageContext
    /// The state that the dialogue is in.
    public let state: State

    /// The chat.
    public var chat: BotChat { message.chat }
    /// The text of the message.
    public var text: String { message.text }
    /// The person who wrote.
    public var person: PersonID { message.person }

    /// Goes on to another state.
    ///
    /// - Parameter question: what the person is asked; nil if the handler asks on its own.
    public func next(_ state: State, _ question: String? = nil) async throws {
        if let question { try await message.send(question) }
        try await message.set(state)
    }

    /// Stays in the state, and asks again.
    public func stay(_ question: String? = nil) async throws { try await next(state, question) }

    /// Ends the dialogue.
    public func end(_ text: String? = nil) async throws {
        if let text { try await message.send(text) }
        try await message.endDialogue(State.self)
    }
}

/// A dialogue that nobody continued in time. It has ended.
public struct DialogueTimeoutContext<State: DialogueState>: ChatContext {
    /// The chat.
    public let chat: BotChat
    /// The state that the dialogue was in.
    public let state: State
}

extension ChatContext {
    /// Begins a dialogue with the person that the event is about, or continues to a state of it. An open dialogue with that person ends.
    ///
    /// - Parameter question: what the person is asked; nil if the handler asks on its own.
    public func begin<State: DialogueState>(_ state: State, _ question: String? = nil) async throws {
        if let question { try await send(question) }
        try await set(state)
    }

    /// Ends a dialogue, if one of the type is open with the person that the event is about.
    public func endDialogue<State: DialogueState>(_ type: State.Type) async throws {
        guard chat.effects.dialogue(of: dialogueScope(type))?.name == type.dialogueName else { return }
        try await chat.effects.setDialogue(nil, named: type.dialogueName, of: dialogueScope(type), in: chat.info.reference)
    }

    func set<State: DialogueState>(_ state: State) async throws {
        let expires = State.timeout.map { chat.effects.now.addingTimeInterval($0.seconds) }
        let record = DialogueRecord(name: State.dialogueName, state: try StateCoding.json(state, name: State.dialogueName), expires: expires)
        try await chat.effects.setDialogue(record, named: record.name, of: dialogueScope(State.self), in: chat.info.reference)
    }

    fileprivate func dialogueScope(_ type: (some DialogueState).Type) -> String { type.participants == .chat ? chat.scopeText : person.description }
}

extension Trigger {
    /// A message in an open dialogue.
    ///
    /// Put it above the handlers that would take the message, and below those that may interrupt the dialogue, such as a `/cancel` command.
    /// A state that cannot be read as the type, because another version of the program has stored it, does not match.
    public static func dialogue<State: DialogueState>(_ type: State.Type) -> Self where Context == DialogueContext<State> {
        Self(.message, in: .all) { incoming in
            guard let message = incoming.openMessage, let record = message.chat.effects.dialogue(of: message.dialogueScope(type)),
                record.name == type.dialogueName, let state = try? JSONDecoder().decode(type, from: record.state)
            else { return nil }
            return DialogueContext(message: message, state: state)
        }
    }

    /// A dialogue that nobody continued within ``DialogueState/timeout``. Without a handler it ends silently.
    public static func dialogueTimeout<State: DialogueState>(_ type: State.Type) -> Self where Context == DialogueTimeoutContext<State> {
        Self(.timer, in: .all) { incoming in
            guard let timer = incoming.timer, timer.record.kind == .dialogue, timer.record.name == type.dialogueName, let chat = timer.chat,
                let json = timer.record.value, let state = try? JSONDecoder().decode(type, from: json)
            else { return nil }
            return DialogueTimeoutContext(chat: chat, state: state)
        }
    }
}
