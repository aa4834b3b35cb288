/// A length of time as files and options hold it: `90s`, `10m`, `24h`, `7d`, `2w`.
package enum RuleDuration {
    /// The seconds of a text; nil for one of another form.
    package static func seconds(_ text: String) -> Double? { TimeSpan.seconds(text[...]) }
}
