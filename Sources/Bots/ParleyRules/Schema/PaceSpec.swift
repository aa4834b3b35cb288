internal import Parley

/// Reads `pace:` of a profile: how fast its bot sends.
enum PaceSpec {
    /// Messages that can be sent without a wait.
    static let bursts = 1...1_000_000
    /// Messages a second from then on.
    static let speeds = 0.001...1_000_000.0

    /// Reads `off`, or a mapping. Missing keys keep their defaults.
    static func read(_ reader: NodeReader) -> SendingPace? {
        if reader.text == "off" { return .off }
        guard reader.keys != nil else {
            reader.report(.wrongType, "\(reader.path) must be off or a mapping, not \(reader.typeName)", hint: example)
            return nil
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.pace)
        if mapping.keys.isEmpty { reader.report(.missingKey, "\(reader.path) says nothing", hint: example) }
        var pace = SendingPace()
        if let chat = mapping.value("chat") { pace.perChat = rate(chat) }
        if let profile = mapping.value("profile") { pace.perProfile = rate(profile) }
        if let member = mapping.value("member") { pace.asMember = limits(member) }
        return pace
    }

    /// Messages of a plain member in a minute, an hour or a day.
    static let limits = 1...SendingPace.MemberLimits.maximum

    /// Reads the limits of plain members: `on`, `off`, or a mapping. Missing keys keep the numbers that the network plans.
    private static func limits(_ reader: NodeReader) -> SendingPace.MemberLimits? {
        if reader.text == "off" { return nil }
        if reader.text == "on" { return .planned }
        guard reader.keys != nil else {
            reader.report(.wrongType, "\(reader.path) must be on, off or a mapping, not \(reader.typeName)", hint: "write: { per-minute: 20, per-hour: 300 }")
            return nil
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.paceMember)
        let planned = SendingPace.MemberLimits.planned
        func number(_ key: String, _ standard: Int) -> Int { mapping.value(key)?.integer(in: limits) ?? standard }
        return SendingPace.MemberLimits(
            perMinute: number("per-minute", planned.perMinute), perHour: number("per-hour", planned.perHour), perDay: number("per-day", planned.perDay))
    }

    private static let example = "write: pace: { chat: { burst: 30, per-second: 5 } }"

    /// - Returns: nil for no limit.
    private static func rate(_ reader: NodeReader) -> SendingPace.Rate? {
        if reader.text == "off" { return nil }
        guard reader.keys != nil else {
            reader.report(.wrongType, "\(reader.path) must be off or a mapping, not \(reader.typeName)", hint: "write: { burst: 30, per-second: 5 }")
            return nil
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.paceRate)
        let burst = mapping.required("burst", hint: "write how many messages are sent without a wait")?.integer(in: bursts)
        let speed = mapping.required("per-second", hint: "write how many messages a second follow; 0.5 is one in two seconds")?.number()
        guard let burst, let speed else { return nil }
        guard speeds.contains(speed) else {
            mapping.value("per-second")?.report(
                .badValue, "\(reader.path).per-second must be from \(speeds.lowerBound) to \(Int(speeds.upperBound)), not \(speed)",
                hint: "\"off\" instead of the mapping sends without a limit")
            return nil
        }
        return SendingPace.Rate(burst: burst, perSecond: speed)
    }
}
