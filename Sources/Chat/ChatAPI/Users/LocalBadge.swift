public import ChatProtocol

/// The badge in a profile, with what is known of its proof.
///
/// Parley does not verify badges: those of peers have the status ``BadgeStatus/unknownKey``. A badge gives no right, and a bot must not reward one.
@JSONMembers
public struct LocalBadge: JSONObjectConvertible, Hashable {
    /// The kind of badge and the time of its end, as the peer says.
    public var badge: JSONObject
    /// The outcome of the verification.
    public var status: BadgeStatus
}

/// The outcome of verifying a badge.
public struct BadgeStatus: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The key that the badge names is not known: nothing was verified.
    public static let unknownKey = BadgeStatus(rawValue: "unknownKey")

    /// The words that this version knows.
    public static let allCases: [BadgeStatus] = [.unknownKey]
}

extension LocalBadge {
    /// The badge that a peer has put into its profile; nil without one.
    public init?(of profile: Profile) {
        guard let badge = profile.unknownMembers["badge"]?["badgeInfo"]?.objectValue else { return nil }
        self.init(badge: badge, status: .unknownKey)
    }
}
