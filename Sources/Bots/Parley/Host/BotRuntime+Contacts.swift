internal import ChatAPI
internal import Logging
internal import Synchronization

// Connections and requests, and events that are reported once.
extension BotRuntime {
    /// Notes whom a contact that connects is known as.
    ///
    /// - Returns: The name of a trusted contact; nil for strangers.
    @discardableResult
    func meet(_ contact: Contact) -> String? {
        services.trust.note(contact)
        return services.trust.name(of: contact)
    }

    func takeConnected(_ contact: Contact, event: ChatEvent) {
        guard tracker.withLock({ $0.isFirst(.connected, contact.contactID.rawValue) }) else { return }
        let effects = effects("connected/\(contact.contactID)")
        let context = ContactContext(chat: chat(.direct(contact: contact), effects: effects), contact: contact)
        let incoming = incoming(.connected(context), event, effects)
        let chat = "\(ChatReference.direct(contact.contactID))"
        submit(
            chat, incoming, .connected, as: HandlerEventName(.connected, contact.contactID.rawValue, in: chat, of: identity.userID), isMuted: isMuted(event))
    }

    func takeRequest(_ request: UserContactRequest, event: ChatEvent) {
        // It is found again at a start after the profile is unmuted.
        guard !isMuted(event) else { return }
        guard tracker.withLock({ $0.isFirst(.request, request.contactRequestID.rawValue) }) else { return }
        let effects = effects("request/\(request.contactRequestID)")
        var text = ""
        if case .receivedContactRequest(_, _, let chat?) = event, request.requestSharedMessageID != nil {
            let item = chat.chatItems.last { $0.meta.sharedMessageID == request.requestSharedMessageID } ?? chat.chatItems.last { $0.direction.isReceived }
            text = item?.meta.text ?? ""
        }
        let context = RequestContext(bot: identity, request: request, text: text, effects: effects)
        let incoming = incoming(.request(context), event, effects)
        let key = "request \(request.contactRequestID)"
        submit(key, incoming, .request, as: HandlerEventName(.request, request.contactRequestID.rawValue, in: key, of: identity.userID))
    }

    /// - Parameters:
    ///   - kind: the kind of the record that is stored once the event is handled; nil for an event that is reported once.
    ///   - event: its name; nil for what does not come again.
    ///   - isMuted: whether the event counts as handled without being given to a handler.
    func submit(
        _ chat: String, _ incoming: Incoming, _ kind: HandledProgress.Kind? = nil, as event: HandlerEventName? = nil, isMuted: Bool = false
    ) {
        let isTaken = jobs.submit(ChatJobKey(userID: identity.userID, chat: chat)) { [self] in
            let mark: HandledMark = if let kind, let event { .once(kind, event.reference) } else { .none }
            if isMuted { return store.note(mark, of: identity.userID) }
            await run(incoming, as: event, mark)
        }
        if !isTaken {
            // Connections and requests are found again at the next start; the rest is only told as long as there is room.
            metrics.dropped()
            logger.warning("event dropped: too many wait in its chat", metadata: ["kind": "\(incoming.kind)"])
        }
    }
}
