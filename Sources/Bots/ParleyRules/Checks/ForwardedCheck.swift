/// A message that was forwarded: `forwarded: true`.
struct ForwardedCheck: FlagCheck {
    static let key = "forwarded"
    static let summary = "A message that was forwarded."
    static let subject = CheckSubject.message(also: [])

    let wanted: Bool

    func answer(_ facts: inout InputFacts) -> Truth { Truth(facts.input.isForwarded == wanted) }
    func reason(_ facts: inout InputFacts) -> String { facts.input.isForwarded ? "forwarded" : "not forwarded" }
}
