/// What becomes of one connection through a ``ChaosProxy``.
package struct Treatment: Sendable, CustomStringConvertible {
    /// Which way bytes go.
    package enum Direction: String, Sendable, CaseIterable { case toRouter, toClient }

    /// What happens at a byte.
    package enum Ending: String, Sendable, CaseIterable {
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
    package var end: (direction: Direction, after: Int, ending: Ending)?
    /// The longest piece that is passed on at a time; nil: as it comes.
    package var pieceLength: Int?
    /// Milliseconds between pieces.
    package var pause = 0
    /// The connection is torn down as soon as it is there.
    package var isRefused = false

    /// Everything passes.
    package init() {}

    /// The connection ends after some bytes.
    package init(_ ending: Ending, after count: Int, _ direction: Direction) { end = (direction, count, ending) }

    package static var refusal: Treatment {
        var treatment = Treatment()
        treatment.isRefused = true
        return treatment
    }

    package var description: String {
        if isRefused { return "refused" }
        let end = end.map { "\($0.ending) after \($0.after) bytes \($0.direction)" } ?? "passes"
        return end + (pieceLength.map { ", pieces of \($0) each \(pause) ms" } ?? "")
    }
}
