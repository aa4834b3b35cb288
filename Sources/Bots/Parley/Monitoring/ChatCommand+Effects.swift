internal import ChatAPI

extension ChatCommand {
    /// The name of the effect of a command, for metrics and logs; nil for one that only reads. The names are stable.
    var effectName: String? {
        switch self {
        case .messages(let command): command.effectName
        case .groups(let command): command.effectName
        case .address(.accept): "accept"
        case .address(.reject): "reject"
        case .chats(.markRead): "markRead"
        case .chats(.list), .chats(.page), .chats(.contentTypes), .chats(.items), .chats(.itemInfo), .chats(.tags), .contacts(.list), .contacts(.info),
            .contacts(.queueInfo), .contacts(.securityCode), .connections(.plan), .address(.show), .files(.status), .files(.linkInfo), .users(.list),
            .servers(.relays),
            .servers(.testRelay):
            nil
        case .files: "file"
        case .users, .core, .database, .chats, .contacts, .connections, .address, .servers, .calls, .devices, .console, .raw: "command"
        }
    }
}

extension MessageCommand {
    fileprivate var effectName: String? {
        switch self {
        case .send, .createNotes, .share: "send"
        case .comment: "comment"
        case .update: "edit"
        case .delete: "delete"
        case .moderate: "moderate"
        case .react: "react"
        case .forward: "forward"
        case .report, .archiveReports, .deleteReports: "report"
        case .setCommentsDisabled: "settings"
        case .reactionMembers, .planForward: nil
        }
    }
}

extension GroupCommand {
    fileprivate var effectName: String? {
        switch self {
        case .add: "invite"
        case .join: "join"
        case .leave: "leave"
        case .acceptMember: "admit"
        case .setRole: "role"
        case .blockForAll: "block"
        case .remove: "remove"
        case .relays, .members, .list, .info, .memberInfo, .memberQueueInfo, .linkData, .link, .memberSecurityCode: nil
        default: "group"
        }
    }
}
