internal import ChatAPI
internal import ChatModel
internal import ChatProtocol

// Quotes. A message brings the text that it quotes, and apps show it as it comes. Nothing says that the quoted message was ever sent.

extension BotRuntime {
    /// Finds out whether a message quotes what its chat has, and notes the texts of a quote that it does not have.
    func checkQuote(of message: MessageContext) async {
        guard checksQuotes, let quote = message.item.quotedItem, let chat = message.chat.reference else { return }
        let texts = ([quote.content.text] + quote.content.attachedTexts).filter { !$0.isEmpty }
        guard !texts.isEmpty else { return }
        if let id = quote.itemID {
            // Among comments, the post is quoted, too.
            for post in Set([message.item.meta.parentItemID, nil]) {
                guard let quoted = try? await model.item(at: ItemPlace(id: id, post: post), in: chat, of: identity.userID) else { continue }
                if quoted.chatItem.shows(texts) { return }
            }
        }
        message.foreignQuote = texts
    }
}

extension ChatItem {
    /// True if the item is there and shows each of the texts.
    fileprivate func shows(_ texts: [String]) -> Bool {
        guard meta.deleted == nil else { return false }
        let shown: MessageContent? =
            switch content {
            case .receivedMessage(let content), .sentMessage(let content): content
            default: nil
            }
        let own = Set([meta.text, shown?.text ?? "", file?.fileName ?? ""] + (shown?.attachedTexts ?? []))
        return texts.allSatisfy(own.contains)
    }
}
