import RouterSupport

/// The history of a message router's counters.
typealias StatisticsStore = CounterStore<RouterStatistics.Counters>

extension StatisticsStore {
    /// Adds the counts, and fills in the figures of the last days.
    func fill(_ statistics: inout RouterStatistics, _ counters: RouterStatistics.Counters, on day: UInt16) {
        let summary = summary(counters, on: day)
        statistics.counters = summary.total
        statistics.day = summary.day
        statistics.week = summary.week
        statistics.month = summary.month
        statistics.since = summary.since
        statistics.started = started
    }
}
