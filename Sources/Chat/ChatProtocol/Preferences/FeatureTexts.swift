// The texts by which official clients show features; stored chat items hold them, so they are the same here.

extension ChatFeature {
    /// The name that people see.
    public var name: String {
        switch self {
        case .timedMessages: "Disappearing messages"
        case .fullDelete: "Full deletion"
        case .reactions: "Message reactions"
        case .voice: "Voice messages"
        case .files: "Files and media"
        case .calls: "Audio/video calls"
        case .sessions: "Chat sessions"
        }
    }

    /// The text that a chat shows when the other side changes its preference.
    ///
    /// - Parameter parameter: The time to live of messages in seconds.
    public func offerText(_ allow: FeatureAllowed, parameter: Int?) -> String {
        !allow.isAllowed ? "cancelled \(name)" : "offered \(name)\(parameterText(parameter))"
    }

    /// The text that a chat shows when a feature is enabled or disabled.
    public func stateText(_ enabled: PreferenceEnabled, parameter: Int?) -> String {
        "\(name): \(enabledText(enabled, parameter: parameter))\(enabled.forUser ? parameterText(parameter) : "")"
    }

    private func enabledText(_ enabled: PreferenceEnabled, parameter: Int?) -> String {
        let on = self == .timedMessages && parameter == nil ? "allowed" : "enabled"
        return switch (enabled.forUser, enabled.forContact) {
        case (true, true): on
        case (false, false): "off"
        case (true, false): "\(on) for you"
        case (false, true): "\(on) for contact"
        }
    }

    private func parameterText(_ parameter: Int?) -> String {
        guard self == .timedMessages, let parameter else { return "" }
        return " (\(TimeToLive.text(parameter)))"
    }
}

extension GroupFeature {
    /// The name that people see.
    public var name: String {
        switch self {
        case .timedMessages: "Disappearing messages"
        case .directMessages: "Direct messages"
        case .fullDelete: "Full deletion"
        case .reactions: "Message reactions"
        case .voice: "Voice messages"
        case .files: "Files and media"
        case .simplexLinks: "SimpleX links"
        case .reports: "Member reports"
        case .history: "Recent history"
        case .support: "Chat with admins"
        case .sessions: "Chat sessions"
        case .comments: "Comments"
        }
    }

    /// The text that a group shows when a feature is enabled or disabled.
    public func stateText(_ state: GroupFeatureState) -> String {
        var text = "\(name): \(state.enable.code)"
        if state.enable == .on, let parameter = state.parameter {
            switch self {
            case .timedMessages: text += " (\(TimeToLive.text(parameter)))"
            case .comments: text += " (close after \(TimeToLive.text(parameter)))"
            default: break
            }
        }
        if let role = state.role { text += " for \(role.code)s" }
        return text
    }
}

/// Times to live of messages, in seconds.
public enum TimeToLive {
    /// The range of a time to live: none to a hundred years.
    public static let range = 0...3_155_760_000

    /// The time to live that a peer or a command tells, or the nearest end of ``range``: what is longer than a life ends at no other time.
    public static func bounded(_ seconds: Int) -> Int { min(max(seconds, range.lowerBound), range.upperBound) }

    /// Seconds in words: `1 day 2 hours`, `1 week`. Months have 30 days.
    public static func text(_ seconds: Int) -> String {
        guard seconds != 0 else { return "0 sec" }
        let (minutes, second) = seconds.quotientAndRemainder(dividingBy: 60)
        let (hours, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        let (days, hour) = hours.quotientAndRemainder(dividingBy: 24)
        let (months, day) = days.quotientAndRemainder(dividingBy: 30)
        let parts = [
            months == 0 ? nil : months == 1 ? "1 month" : "\(months) months",
            dayText(day),
            hour == 0 ? nil : hour == 1 ? "1 hour" : "\(hour) hours",
            minute == 0 ? nil : "\(minute) min",
            second == 0 ? nil : "\(second) sec",
        ]
        return parts.compactMap { $0 }.joined(separator: " ")
    }

    private static func dayText(_ days: Int) -> String? {
        switch days {
        case 0: nil
        case 1: "1 day"
        case 7: "1 week"
        case 14: "2 weeks"
        default: "\(days) days"
        }
    }
}
