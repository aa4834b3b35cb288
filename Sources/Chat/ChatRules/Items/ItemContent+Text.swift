package import ChatAPI
package import ChatProtocol

extension ItemContent {
    /// The message, if the item is one.
    package var message: MessageContent? {
        switch self {
        case .sentMessage(let content), .receivedMessage(let content): content
        default: nil
        }
    }

    /// The text that represents the item in lists and searches.
    package var text: String {
        switch self {
        case .sentMessage(let content), .receivedMessage(let content): content.summary
        case .receivedIntegrityError(let error): error.text
        case .receivedDecryptionError(let error, let count): error.text(count: count)
        case .receivedMessageError(.dropped(let attempts)): "message removed after \(attempts) attempts"
        case .receivedMessageError(.parseError(let error)): "message error: \(error)"
        case .receivedDirectEvent(.contactDeleted): "contact deleted"
        case .receivedDirectEvent(.profileUpdated): "updated profile"
        case .receivedDirectEvent(.groupInvitationLinkReceived(let group)): "requested connection from group \(group.displayName)"
        case .receivedConnectionEvent(let event): event.text
        case .sentConnectionEvent(let event): event.text
        case .receivedChatFeature(let feature, let enabled, let parameter), .sentChatFeature(let feature, let enabled, let parameter):
            feature.stateText(enabled, parameter: parameter)
        case .receivedChatPreference(let feature, let allowed, let parameter):
            feature.offerText(allowed, parameter: parameter)
        case .sentChatPreference(let feature, let allowed, let parameter):
            "you " + feature.offerText(allowed, parameter: parameter)
        case .receivedChatFeatureRejected(let feature): feature.name + ": received, prohibited"
        case .sentDirectEncryption(let info), .receivedDirectEncryption(let info), .sentGroupEncryption(let info),
            .receivedGroupEncryption(let info):
            info.text
        case .chatBanner: "chat banner"
        default: groupText ?? ""
        }
    }

    /// Tells whether the item brings its chat to the top of the list and counts as unread.
    package func requiresAttention(isSent: Bool) -> Bool {
        if isSent { return true }
        switch self {
        case .receivedMessage, .receivedDeleted, .receivedCall, .receivedIntegrityError, .receivedDecryptionError,
            .receivedGroupInvitation, .receivedConnectionEvent, .receivedChatFeatureRejected, .receivedGroupFeatureRejected,
            .receivedModerated:
            return true
        case .receivedGroupEvent(let event): return event.requiresAttention
        case .receivedDirectEvent(.groupInvitationLinkReceived): return true
        default: return false
        }
    }

    /// The status of a new item with this content.
    package func initialStatus(isSent: Bool) -> ItemStatus {
        if isSent { return .sendNew }
        return requiresAttention(isSent: false) ? .receivedNew : .receivedRead
    }
}

extension EncryptionInfo {
    /// The text of the item at the head of a chat about its encryption.
    fileprivate var text: String {
        if isPublic == true { return "This channel or group is NOT end-to-end encrypted." }
        return switch pqEnabled {
        case true:
            "This conversation is protected by quantum resistant end-to-end encryption. It has perfect forward secrecy, repudiation"
                + " and quantum resistant break-in recovery."
        case false:
            "This conversation is protected by end-to-end encryption with perfect forward secrecy, repudiation and break-in recovery."
        case nil: "This conversation is protected by end-to-end encryption"
        }
    }
}

extension MessageIntegrityError {
    fileprivate var text: String {
        switch self {
        case .skipped(let from, let to): "skipped message ID \(from)" + (from == to ? "" : "..\(to)")
        case .badID(let id): "unexpected message ID \(id)"
        case .badHash: "incorrect message hash"
        case .duplicate: "duplicate message ID"
        case .other(let tag, _): tag
        }
    }
}

extension MessageDecryptError {
    fileprivate func text(count: Int) -> String {
        let counter = count == 1 ? "" : ", \(count) messages"
        let reason: String? =
            switch self {
            case .ratchetHeader: "header" + counter
            case .tooManySkipped: "too many skipped messages" + counter
            case .ratchetEarlier: "earlier message" + counter
            case .ratchetSync: "synchronization error"
            default: count == 1 ? nil : "\(count) messages"
            }
        return "decryption error, possibly due to the device change" + (reason.map { " (\($0))" } ?? "")
    }
}

extension ReceivedConnectionEvent {
    fileprivate var text: String {
        switch self {
        case .switchQueue(let phase):
            switch phase {
            case .started: "started changing address for you..."
            case .confirmed: "confirmed changing address for you..."
            case .secured: "secured new address for you..."
            default: "changed address for you"
            }
        case .ratchetSync(let state): state.text
        case .verificationCodeReset: "security code changed"
        case .pqEnabled(let enabled): enabled ? "quantum resistant e2e encryption" : "standard end-to-end encryption"
        case .other(let tag, _): tag
        }
    }
}

extension SentConnectionEvent {
    fileprivate var text: String {
        switch self {
        case .switchQueue(let phase, _):
            switch phase {
            case .started: "started changing address..."
            case .confirmed: "confirmed changing address..."
            case .secured: "secured new address..."
            default: "you changed address"
            }
        case .ratchetSync(let state, _): state.text
        case .pqEnabled(let enabled): enabled ? "quantum resistant e2e encryption" : "standard end-to-end encryption"
        case .other(let tag, _): tag
        }
    }
}

extension RatchetSyncState {
    fileprivate var text: String {
        switch self {
        case .ok: "connection synchronized"
        case .allowed: "decryption error (connection may be out of sync), synchronization allowed"
        case .required: "decryption error (connection out of sync), synchronization required"
        case .started: "connection synchronization started"
        case .agreed: "connection synchronization agreed"
        default: rawValue
        }
    }
}
