internal import ChatEngine

/// The limit of the messages that joins of strangers make the bots send, for each group that the bots host.
///
/// A join costs about three messages for each member of the group: the bot introduces the newcomer to every member and every member to the newcomer. Joiners
/// beyond the pace wait for their turn, and are then admitted.
public struct GroupJoinPace: Sendable, Hashable {
    /// Messages that the joins of one group may cause at once after an idle time; at least 1.
    public var burst: Int
    /// Messages per second after that; more than zero.
    public var perSecond: Double

    /// Creates a pace.
    public init(burst: Int = 20_000, perSecond: Double = 100) { (self.burst, self.perSecond) = (burst, perSecond) }

    var pace: JoinPace { JoinPace(burst: burst, perSecond: perSecond) }
}
