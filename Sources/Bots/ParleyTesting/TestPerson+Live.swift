internal import ChatAPI
internal import ChatProtocol
internal import Parley

extension TestPerson {
    /// Begins a live message: others read it while it is typed.
    public func beginTyping(_ text: String, in chat: String? = nil) async throws {
        let reference = try await reference(chat)
        guard let target = SendTarget(reference) else { throw TestRoomError("nothing can be sent into \(reference)") }
        _ = try await core.send(.messages(.send(to: target, [ComposedMessage(content: .text(text))], live: true)), as: user)
    }

    /// Changes the text of the live message that the person types.
    public func goOnTyping(_ text: String, in chat: String? = nil) async throws { try await type(text, isLive: true, in: chat) }

    /// Finishes the live message that the person types, with its whole text.
    public func finishTyping(_ text: String, in chat: String? = nil) async throws { try await type(text, isLive: false, in: chat) }

    private func type(_ text: String, isLive: Bool, in chat: String?) async throws {
        let reference = try await reference(chat)
        guard let typed = try await items(in: chat).last(where: { $0.direction.isSent && $0.meta.isLive == true }) else {
            throw TestRoomError("\(name) types no live message: call beginTyping first")
        }
        _ = try await core.send(.messages(.update(reference, typed.id, UpdatedMessage(content: .text(text)), live: isLive)), as: user)
    }
}
