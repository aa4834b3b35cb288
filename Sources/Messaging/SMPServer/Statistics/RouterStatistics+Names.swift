package import RouterSupport

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
        Field(
            name: "service_subscriptions_as_expected", help: "Those where client and router had the same queues.",
            path: \.serviceSubscriptionsAsExpected),
        Field(
            name: "service_subscriptions_with_more", help: "Those where the router had more queues than the client expected.",
            path: \.serviceSubscriptionsWithMore),
        Field(
            name: "service_subscriptions_with_fewer", help: "Those where the router had fewer queues than the client expected.",
            path: \.serviceSubscriptionsWithFewer),
        Field(
            name: "service_subscriptions_with_others", help: "Those where the router had as many queues, but others.",
            path: \.serviceSubscriptionsWithOthers),
        Field(name: "service_queues_unexpected", help: "Queues of services that their clients did not expect.", path: \.serviceQueuesUnexpected),
        Field(name: "service_queues_missing", help: "Queues that clients of services expected and the router lacked.", path: \.serviceQueuesMissing),
        Field(name: "messages_sent", help: "Messages accepted from senders.", path: \.messagesSent),
        Field(name: "message_bytes_sent", help: "Bytes of accepted messages.", path: \.bytesSent),
        Field(name: "messages_delivered", help: "Messages given to recipients, repetitions included.", path: \.messagesDelivered),
        Field(name: "messages_acknowledged", help: "Messages that their recipients have acknowledged.", path: \.messagesAcknowledged),
        Field(name: "messages_over_quota", help: "Messages refused because the queue was full.", path: \.messagesOverQuota),
        Field(name: "messages_refused", help: "Messages refused because of the queue or the sender.", path: \.messagesRefused),
        Field(name: "messages_expired", help: "Messages deleted because nobody fetched them in time.", path: \.messagesExpired),
        Field(name: "messages_lost", help: "Stored messages that were found damaged.", path: \.messagesLost),
        Field(name: "notifications_sent", help: "Notices of messages to notification servers.", path: \.notificationsSent),
        Field(name: "authorization_failures", help: "Commands by the wrong client, or about queues that are not there.", path: \.authorizationFailures),
        Field(name: "commands_forwarded", help: "Commands that came through a proxy.", path: \.commandsForwarded),
        Field(name: "commands_relayed", help: "Commands passed on to other routers.", path: \.commandsRelayed),
        Field(name: "names_requested", help: "Names that clients asked for.", path: \.namesRequested),
        Field(name: "names_resolved", help: "Names that have a record.", path: \.namesResolved),
        Field(name: "names_not_found", help: "Names that are not registered.", path: \.namesNotFound),
        Field(name: "names_failed", help: "Names that the resolver could not look up.", path: \.namesFailed),
        Field(name: "names_refused", help: "Names that were not looked up: too many waited, or their client was gone.", path: \.namesRefused),
    ]
}
