public import ChatProtocol

extension ItemContent {
    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .sentMessage(let content): object.write("sndMsgContent", ["msgContent": content])
        case .receivedMessage(let content): object.write("rcvMsgContent", ["msgContent": content])
        case .sentDeleted(let mode): object.write("sndDeleted", ["deleteMode": mode])
        case .receivedDeleted(let mode): object.write("rcvDeleted", ["deleteMode": mode])
        case .sentCall(let status, let duration): object.write("sndCall", ["status": status, "duration": duration])
        case .receivedCall(let status, let duration): object.write("rcvCall", ["status": status, "duration": duration])
        case .receivedIntegrityError(let error): object.write("rcvIntegrityError", ["msgError": error])
        case .receivedDecryptionError(let error, let messageCount):
            object.write("rcvDecryptionError", ["msgDecryptError": error, "msgCount": messageCount])
        case .receivedMessageError(let error): object.write("rcvMsgError", ["rcvMsgError": error])
        case .receivedGroupInvitation(let invitation, let memberRole):
            object.write("rcvGroupInvitation", ["groupInvitation": invitation, "memberRole": memberRole])
        case .sentGroupInvitation(let invitation, let memberRole):
            object.write("sndGroupInvitation", ["groupInvitation": invitation, "memberRole": memberRole])
        case .receivedDirectEvent(let event): object.write("rcvDirectEvent", ["rcvDirectEvent": event])
        case .receivedGroupEvent(let event): object.write("rcvGroupEvent", ["rcvGroupEvent": event])
        case .sentGroupEvent(let event): object.write("sndGroupEvent", ["sndGroupEvent": event])
        case .receivedConnectionEvent(let event): object.write("rcvConnEvent", ["rcvConnEvent": event])
        case .sentConnectionEvent(let event): object.write("sndConnEvent", ["sndConnEvent": event])
        case .receivedChatFeature(let feature, let enabled, let parameter):
            object.write("rcvChatFeature", ["feature": feature, "enabled": enabled, "param": parameter])
        case .sentChatFeature(let feature, let enabled, let parameter):
            object.write("sndChatFeature", ["feature": feature, "enabled": enabled, "param": parameter])
        case .receivedChatPreference(let feature, let allowed, let parameter):
            object.write("rcvChatPreference", ["feature": feature, "allowed": allowed, "param": parameter])
        case .sentChatPreference(let feature, let allowed, let parameter):
            object.write("sndChatPreference", ["feature": feature, "allowed": allowed, "param": parameter])
        case .receivedGroupFeature(let feature, let preference, let parameter, let memberRole):
            object.write(
                "rcvGroupFeature",
                [
                    "groupFeature": feature, "preference": preference, "param": parameter, "memberRole_": memberRole,
                ])
        case .sentGroupFeature(let feature, let preference, let parameter, let memberRole):
            object.write(
                "sndGroupFeature",
                [
                    "groupFeature": feature, "preference": preference, "param": parameter, "memberRole_": memberRole,
                ])
        case .receivedChatFeatureRejected(let feature): object.write("rcvChatFeatureRejected", ["feature": feature])
        case .receivedGroupFeatureRejected(let feature): object.write("rcvGroupFeatureRejected", ["groupFeature": feature])
        case .sentModerated: object.write("sndModerated")
        case .receivedModerated: object.write("rcvModerated")
        case .receivedBlocked: object.write("rcvBlocked")
        case .sentDirectEncryption(let info): object.write("sndDirectE2EEInfo", ["e2eeInfo": info])
        case .receivedDirectEncryption(let info): object.write("rcvDirectE2EEInfo", ["e2eeInfo": info])
        case .sentGroupEncryption(let info): object.write("sndGroupE2EEInfo", ["e2eeInfo": info])
        case .receivedGroupEncryption(let info): object.write("rcvGroupE2EEInfo", ["e2eeInfo": info])
        case .chatBanner: object.write("chatBanner")
        case .other(_, let json): object.replace(with: json)
        }
    }
}
