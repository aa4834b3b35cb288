internal import ChatProtocol
internal import Parley

// Objections that several actions have.
extension RuleCondition {
    /// The objection to a message in a chat of the event.
    var messageObjection: ActionObjection? {
        if event.isAboutDelivery {
            return ("its messages would be delivered, too, and would trigger it again", "use \"tell\": its messages do not trigger rules about deliveries")
        }
        if event == .relay { return ("the channel may have no relay, and subscribers are not meant", "use \"tell\" or \"webhook\"") }
        return nil
    }

    /// True if the rule can be about a member who waits to be admitted: such a member writes to moderators only.
    var isAboutWaiting: Bool { members.changes == [.pending] || event == .message && members.kinds == .supportChats }

    /// The objection to an action on members in a rule that applies in chats with contacts too.
    var groupObjection: ActionObjection? {
        guard event != .member, event != .report, event != .warned, members.kinds.contains(.contacts) else { return nil }
        return ("the rule is for chats with contacts", "add \"chat: group\" to \"when\"")
    }

    /// The objection to an action on a member.
    var memberObjection: ActionObjection? {
        guard [.message, .edited, .report, .member, .warned].contains(event) else { return ("it is about no member of a group", nil) }
        let gone: Set<MembershipEvent> = [.left, .removed]
        if let changes = members.changes, !changes.isDisjoint(with: gone) { return ("the member is no longer in the group", nil) }
        return groupObjection
    }

    /// The objection to a command that only moderators may use.
    var moderatorObjection: ActionObjection? {
        guard event == .message, commands != nil else { return ("it answers a command", "add \"command\" to \"when\"") }
        guard isForModerators else { return ("everybody could use it", "add to \"when\": role: [moderator, admin, owner]") }
        return nil
    }

    private var isForModerators: Bool {
        guard let roles = members.roles, !roles.isEmpty else { return false }
        return roles.isSubset(of: [.moderator, .admin, .owner])
    }

    /// The objection to an action on broadcasts.
    var broadcastActionObjection: ActionObjection? {
        event == .message ? broadcastObjection : ("nobody has written", "it goes with messages; a schedule with \"to: contacts\" sends at times")
    }

    /// The objection to a message to everybody that anybody could send: only people whom the rule names may bring it about.
    var broadcastObjection: ActionObjection? {
        if isForModerators || tree.checks.contains(where: { $0.isOutermost && $0.test is FromCheck }) { return nil }
        return ("everybody could use it", "add to \"when\": from: with the names of the permitted people, or role: [moderator, admin, owner]")
    }
}

extension RuleMessage {
    /// The objection to the message as an answer to the event of a rule.
    func objection(in condition: RuleCondition) -> ActionObjection? {
        if case .file = self, condition.event == .fileFailed { return ("that file may fail, too, and the rule would not end", "send a text") }
        if let objection = condition.messageObjection { return objection }
        return condition.event == .request ? ("a message can be sent once the contact has connected", nil) : nil
    }
}
