/// The counters of a kind of router.
package protocol CounterSet: Sendable, Hashable {
    typealias Field = CounterField<Self>

    /// All zero.
    init()
    static var fields: [Field] { get }
}

/// A counter with the name that it has in metrics, statistics and on disk: names are stable, and there are no others.
package struct CounterField<Counters>: Sendable {
    package let name: String
    package let help: String
    package let path: any WritableKeyPath<Counters, UInt64> & Sendable

    package init(name: String, help: String, path: any WritableKeyPath<Counters, UInt64> & Sendable) {
        self.name = name
        self.help = help
        self.path = path
    }
}

extension CounterSet {
    package static func - (left: Self, right: Self) -> Self { combine(left, right) { $0 < $1 ? 0 : $0 - $1 } }
    /// The larger of each counter.
    package static func maximum(_ left: Self, _ right: Self) -> Self { combine(left, right) { max($0, $1) } }
    package static func + (left: Self, right: Self) -> Self { combine(left, right, &+) }

    private static func combine(_ left: Self, _ right: Self, _ operation: (UInt64, UInt64) -> UInt64) -> Self {
        var result = Self()
        for field in fields { result[keyPath: field.path] = operation(left[keyPath: field.path], right[keyPath: field.path]) }
        return result
    }

    /// Each name with its value.
    package var named: [(name: String, value: UInt64)] { Self.fields.map { ($0.name, self[keyPath: $0.path]) } }
}

extension RouterStatistics.Counters: CounterSet {
    package static let fields: [CounterField<RouterStatistics.Counters>] = [
        Field(name: "sessions_opened", help: "Connections whose TLS handshake was done.", path: \.sessionsOpened),
        Field(name: "queues_created", help: "Queues that clients made.", path: \.queuesCreated),
        Field(name: "queues_secured", help: "Queues that got a sender's key.", path: \.queuesSecured),
        Field(name: "queues_deleted", help: "Queues that their recipients or the operator deleted.", path: \.queuesDeleted),
        Field(name: "queues_expired", help: "Queues deleted because nobody used them.", path: \.queuesExpired),
        Field(name: "queues_blocked", help: "Queues that the operator blocked.", path: \.queuesBlocked),
        Field(name: "subscriptions", help: "Subscriptions to single queues.", path: \.subscriptions),
        Field(name: "service_subscriptions", help: "Subscriptions to all queues of a service.", path: \.serviceSubscriptions),
        Field(name: "messages_sent", help: "Messages accepted from senders.", path: \.messagesSent),
        Field(name: "message_bytes_sent", help: "Bytes of accepted messages.", path: \.bytesSent),
        Field(name: "messages_delivered", help: "Messages given to recipients, repetitions included.", path: \.messagesDelivered),
        Field(name: "messages_acknowledged", help: "Messages that their recipients have.", path: \.messagesAcknowledged),
        Field(name: "messages_over_quota", help: "Messages refused because the queue was full.", path: \.messagesOverQuota),
        Field(name: "messages_refused", help: "Messages refused because of the queue or the sender.", path: \.messagesRefused),
        Field(name: "messages_expired", help: "Messages deleted because nobody fetched them in time.", path: \.messagesExpired),
        Field(name: "messages_lost", help: "Stored messages that were found damaged.", path: \.messagesLost),
        Field(name: "notifications_sent", help: "Notices of messages to notification servers.", path: \.notificationsSent),
        Field(name: "authorization_failures", help: "Commands by the wrong client, or about queues that are not there.", path: \.authorizationFailures),
        Field(name: "commands_forwarded", help: "Commands that came through a proxy.", path: \.commandsForwarded),
        Field(name: "commands_relayed", help: "Commands passed on to other routers.", path: \.commandsRelayed),
    ]
}
