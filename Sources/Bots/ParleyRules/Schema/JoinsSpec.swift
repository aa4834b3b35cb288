internal import Parley

/// Reads `joins:`, the pace at which strangers join the groups of the bots.
enum JoinsSpec {
    static func read(_ reader: NodeReader) -> GroupJoinPace? {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.joins)
        if mapping.keys.isEmpty { reader.report(.missingKey, "\(reader.path) says nothing", hint: "write: joins: { burst: 20000, per-second: 100 }") }
        var pace = GroupJoinPace()
        if let burst = mapping.value("burst")?.integer(in: PaceSpec.bursts) { pace.burst = burst }
        if let value = mapping.value("per-second"), let speed = value.number() {
            guard PaceSpec.speeds.contains(speed) else {
                value.report(
                    .badValue, "\(value.path) must be from \(PaceSpec.speeds.lowerBound) to \(Int(PaceSpec.speeds.upperBound)), not \(speed)",
                    hint: "\"link: none\" in the group lets nobody join")
                return nil
            }
            pace.perSecond = speed
        }
        return pace
    }
}
