/// The figures of a router in the text format of Prometheus. Names are stable, and the few labels are of fixed sets.
enum Prometheus {
    private static let prefix = "parley_smp_"

    static func text(_ statistics: RouterStatistics, at now: Int64) -> String {
        var text = ""
        func metric(_ name: String, _ kind: String, _ help: String, _ samples: [(label: String, value: Int64)]) {
            text += "# HELP \(prefix)\(name) \(help)\n# TYPE \(prefix)\(name) \(kind)\n"
            for sample in samples { text += "\(prefix)\(name)\(sample.label) \(sample.value)\n" }
        }
        func gauge(_ name: String, _ help: String, _ value: Int) { metric(name, "gauge", help, [("", Int64(value))]) }
        for field in RouterStatistics.Counters.fields {
            let value = Int64(clamping: statistics.counters[keyPath: field.path])
            metric(field.name + "_total", "counter", field.help, [("", value)])
        }
        gauge("connections", "Open connections, those in their TLS handshake included.", statistics.connections)
        gauge("sessions", "Clients that have done their TLS handshake.", statistics.sessions)
        gauge("queues", "Queues.", statistics.queues)
        gauge("messages", "Messages in all queues.", statistics.messages)
        gauge("services", "Services that have queues or a session.", statistics.services)
        gauge("service_queues", "Queues that services receive from or hear of.", statistics.serviceQueues)
        gauge("relays", "Other routers that this one is connected to as a proxy.", statistics.relays)
        metric(
            "active_queues", "gauge", "Queues that were used on the last days, today included.",
            [
                (#"{period="day"}"#, Int64(statistics.activeQueues.day)), (#"{period="week"}"#, Int64(statistics.activeQueues.week)),
                (#"{period="month"}"#, Int64(statistics.activeQueues.month)),
            ])
        gauge("journal_bytes", "Bytes of the journal.", statistics.journalBytes)
        gauge("journal_needed_bytes", "Bytes of the journal that are still needed.", statistics.liveBytes)
        gauge("storage_failing", "1 while nothing is accepted because the disk refuses it.", statistics.storageFailure == nil ? 0 : 1)
        gauge("journal_damaged", "1 when the journal is not cleared any more because of damage.", statistics.damage == nil ? 0 : 1)
        if let seconds = statistics.certificateLifetime {
            gauge("certificate_lifetime_seconds", "Time until the certificate expires.", seconds)
        }
        gauge("uptime_seconds", "Time since the process was started.", Int(now - statistics.started))
        return text
    }
}
