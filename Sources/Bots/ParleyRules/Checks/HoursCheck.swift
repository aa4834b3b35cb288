/// A part of the day: `hours: "22:00-06:00"`, or on some days of the week in a time zone.
struct HoursCheck: RuleCheck {
    private static let range = Shape.form("^\\d{1,2}:\\d{2} *- *\\d{1,2}:\\d{2}$", example: "22:00-06:00")

    static let key = "hours"
    static let shape = Shape.anyOf([range, .mapping("hours")])
    static let summary = "A part of the day in UTC, or in a time zone on some days of the week."
    static let mapping = MappingSchema(
        "hours",
        [
            .key("between", range, "A part of the day; all of it by default."), .key("zone", .text, "A time zone such as Europe/Berlin; UTC by default."),
            .key("days", .listOrOne(.text), "Days of the week, or ranges such as mon-fri; all by default."),
        ])

    let hours: HourRange

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let hours = HourRange(reader) else { return nil }
        self.hours = hours
    }

    func answer(_ facts: inout InputFacts) -> Truth {
        let time = facts.input.time
        return facts.input.minuteOfDay.map { hours.truth($0, at: time) } ?? .unknown
    }

    func reason(_ facts: inout InputFacts) -> String {
        let time = facts.input.time
        return facts.input.minuteOfDay.map { hours.description($0, at: time) } ?? "the time is not given"
    }
}
