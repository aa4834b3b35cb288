/// The clock of the machine, as `parley doctor` sees it.
struct ClockCheckup: Sendable, Equatable {
    /// The time, in seconds since 1970.
    var now: Int
    /// The latest change of a database of the data folder, in seconds since 1970; nil without one.
    var latestChange: Int?
    /// True if the system sets its clock by a time service; nil if that is unknown.
    var isSynchronized: Bool?
    /// The difference of this clock from that of a server, in seconds, positive if this clock is fast; nil if no server told its time.
    var difference: Int?
    /// True if time zones can be looked up by their names.
    var knowsZones = true

    /// A time before the release of this version: the middle of November 2026.
    private static let releaseTime = 1_794_700_800
    /// The differences in seconds above which there is a warning, and an error. A server's time has a resolution of a second.
    private static let tolerance = 30, largestDifference = 3_600

    var findings: [DoctorFinding] {
        var findings: [DoctorFinding] = []
        let remedy = "set the clock, and have a time service such as systemd-timesyncd or chrony keep it"
        if now < Self.releaseTime {
            findings.append(.error("clock.past", nil, "the clock shows a time before the release of this program", do: remedy))
        } else if let latestChange, now < latestChange - Self.largestDifference {
            findings.append(.error("clock.past", nil, "the clock shows a time before the last change of the data folder", do: remedy))
        }
        if let difference, abs(difference) > Self.tolerance {
            let text = "the clock is \(Self.text(abs(difference))) \(difference > 0 ? "fast" : "slow"), compared with a server"
            findings.append(
                abs(difference) > Self.largestDifference
                    ? .error("clock.wrong", nil, text, do: remedy) : .warning("clock.wrong", nil, text, do: remedy))
        }
        if isSynchronized == false {
            findings.append(
                .warning("clock.unsynchronized", nil, "no time service sets the clock", do: "start one, as with timedatectl set-ntp true"))
        }
        if !knowsZones {
            findings.append(
                .warning(
                    "clock.zones", nil, "time zones are not known by name, so a bots.yaml with `zone` is refused", do: "install the package tzdata"))
        }
        guard findings.isEmpty else { return findings }
        return [
            .ok(
                "clock", nil,
                difference != nil
                    ? "the clock agrees with a server"
                    : isSynchronized == true ? "a time service sets the clock" : "the clock is plausible; no server has told its time")
        ]
    }

    /// A time in its largest unit.
    static func text(_ seconds: Int) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}
