/// What becomes of one connection through a ``ChaosProxy``.
public struct Treatment: Sendable, CustomStringConvertible {
    /// Which way bytes go.
    public enum Direction: String, Sendable, CaseIterable { case toRouter, toClient }

    /// What happens at a byte.
    public enum Ending: String, Sendable, CaseIterable {
        /// The connection ends as if the other side had closed it.
        case close
        /// It is torn down (RST).
        case reset
        /// Nothing passes any more, in either direction, and nobody is told.
        case silence
        /// The byte arrives as another one; all else passes.
        case damage
        /// The byte and what came with it arrive twice; all else passes.
        case repetition
    }

    /// Where it happens: after so many bytes of a direction; nil for nowhere.
    public var end: (direction: Direction, after: Int, ending: Ending)?
    /// The longest piece that is passed on at a time; nil: as it comes.
    public var pieceLength: Int?
    /// Milliseconds between pieces.
    public var pause = 0
    /// The connection is torn down as soon as it is there.
    public var isRefused = false

    /// Everything passes.
    public init() {}

    /// The connection ends after some bytes.
    public init(_ ending: Ending, after count: Int, _ direction: Direction) { end = (direction, count, ending) }

    public static var refusal: Treatment {
        var treatment = Treatment()
        treatment.isRefused = true
        return treatment
    }

    public var description: String {
        if isRefused { return "refused" }
        let end = end.map { "\($0.ending) after \($0.after) bytes \($0.direction)" } ?? "passes"
        return end + (pieceLength.map { ", pieces of \($0) each \(pause) ms" } ?? "")
    }
}
