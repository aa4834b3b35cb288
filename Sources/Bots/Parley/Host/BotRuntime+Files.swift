internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Logging

extension BotRuntime {
    /// Begins to receive the file of a message, unless its sender has sent too many. Handlers of the message run in any case.
    func receiveFile(of message: MessageContext, within reception: FileReception) async {
        guard let file = message.item.file, reception.admits(message) else { return }
        let effects = message.chat.effects, logger = effects.observation.logger
        do {
            // Stored at once, and not with the changes of handlers: those are dropped when a handler fails.
            switch try await takeQuota(of: message.person, file.fileSize, reception) {
            case .accept:
                _ = try await effects.perform(.files(.receive(file.fileID, approvedRelays: reception.sources == .any)))
            case .refuse(let isFirst):
                logger.notice(
                    "a file is not received: its sender has sent as much as is received on a day",
                    metadata: ["code": "file.quota", "person": "\(message.person)", "size": "\(file.fileSize)"])
                guard isFirst, let refusal = reception.refusal else { return }
                // Under a name of its own: the effects of the handlers are counted as without it.
                let named = effects.named("item/\(message.item.id)/files", changes: nil)
                let chat = BotChat(bot: message.chat.bot, info: message.chat.info, effects: named, post: message.chat.post)
                try await chat.send(.text(refusal), quoting: message.item.id)
            }
        } catch {
            logger.warning("a file could not be accepted", metadata: ["code": "\(ErrorCode.of(error) ?? "file")", "error": "\(error)"])
        }
    }
}
