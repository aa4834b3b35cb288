internal import Parley

/// A message that quotes the one of the event: `reply: text`. Without a message it is sent.
struct ReplyAction: MessageAction {
    static let key = "reply"
    static let shape = SendAction.shape
    static let summary = "Answer with a quote of the message."

    let message: RuleMessage

    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        guard let message = RuleMessage(reader, .rule(condition)) else { return nil }
        self.message = message
    }

    func perform(_ run: ActionRun) async throws {
        switch message {
        case .text(let template): try await run.performer.reply(run.mentioning(template))
        case .file(let file):
            let outgoing = file.outgoing(run.values)
            if let reply = run.subject.replyFile { try await reply(outgoing) } else { try await run.subject.chat.send(outgoing) }
        }
    }
}
