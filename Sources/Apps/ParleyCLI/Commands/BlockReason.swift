internal import ArgumentParser

/// The reason for which an operator blocks something at a router, and the notice of it.
struct BlockReason: ParsableArguments {
    @Argument(help: "Why: spam or content.") var reason: String
    @Option(name: .customLong("notice-hours"), help: "Have the client show a notice for so many hours.") var noticeHours: Int?

    /// The end of the request to the router, with a space before each word.
    var words: String { " \(reason)" + (noticeHours.map { " \($0)" } ?? "") }
}
