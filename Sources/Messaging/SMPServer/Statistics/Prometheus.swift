import RouterSupport

/// The figures of a message router for Prometheus.
enum Prometheus {
    static func text(_ statistics: RouterStatistics, at now: Int64) -> String {
        var text = MetricsText(prefix: "parley_smp_")
        text.add(statistics.counters)
        text.gauge("connections", "Open connections, those in their TLS handshake included.", statistics.connections)
        text.gauge("sessions", "Clients that have done their TLS handshake.", statistics.sessions)
        text.gauge("queues", "Queues.", statistics.queues)
        text.gauge("messages", "Messages in all queues.", statistics.messages)
        text.gauge("services", "Services that have queues or a session.", statistics.services)
        text.gauge("service_queues", "Queues whose messages or notifications services receive.", statistics.serviceQueues)
        text.gauge("relays", "Other routers that this one is connected to as a proxy.", statistics.relays)
        text.add(
            "active_queues", "gauge", "Queues that were used on the last days, today included.",
            [
                (#"{period="day"}"#, Int64(statistics.activeQueues.day)), (#"{period="week"}"#, Int64(statistics.activeQueues.week)),
                (#"{period="month"}"#, Int64(statistics.activeQueues.month)),
            ])
        text.gauge("journal_bytes", "Bytes of the journal.", statistics.journalBytes)
        text.gauge("journal_needed_bytes", "Bytes of the journal that are still needed.", statistics.liveBytes)
        text.gauge("storage_failing", "1 while nothing is accepted because the disk fails.", statistics.storageFailure == nil ? 0 : 1)
        text.gauge("journal_damaged", "1 when the journal is not cleared any more because of damage.", statistics.damage == nil ? 0 : 1)
        text.addHealth(certificateLifetime: statistics.certificateLifetime, uptime: now - statistics.started)
        return text.text
    }
}
