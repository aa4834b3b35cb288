package import AsyncPrimitives
package import Logging
package import SMPClient
package import SMPWire
package import SystemSupport

/// The agent's constants. The defaults are those of the official agent; tests shorten the times and narrow the versions.
package struct AgentConfiguration: Sendable {
    /// Agent versions to offer, within ``AgentLimits/agentVersions``.
    package var agentVersions = VersionRange(AgentLimits.agentVersions)
    /// SMP client versions to offer, within ``AgentLimits/clientVersions``. Below 3 a sender does not secure queues.
    package var clientVersions = VersionRange(AgentLimits.clientVersions)
    /// Ratchet versions to offer: 2 without post-quantum encryption, 3 with it.
    package var ratchetVersions = VersionRange(2...3)
    /// The algorithm of the keys that authorise commands about new queues.
    package var queueKeys = QueueKeyAlgorithm.x25519

    /// Queues that a new connection receives through, each on another router, as far as the user has so many: 1 to
    /// ``AgentLimits/maximumQueues``. Contact addresses have one. Official agents use the first: see ``SMPAgent/addQueue(to:on:)``.
    package var queuesPerConnection = 1

    /// True if new queues get a notifier with `NEW`, where the router's version is 17 or later, as official agents ask for when their device has
    /// asked for instant notifications. Later on it is ``SMPAgent/enableNotifications(of:)`` that gives one.
    package var newQueuesHaveNotifiers = false

    /// The settings of the network at the start; see ``SMPAgent/setNetworkConfiguration(_:)``. The network must have been made with the same.
    package var network = NetworkConfiguration()

    /// When a message that the router did not get is sent again.
    package var fastRetry = RetryInterval(initial: .seconds(2), increaseAfter: .seconds(10), maximum: .seconds(120))
    /// When a message for a full queue is sent again, unless the peer says sooner that it has taken its messages.
    package var slowRetry = RetryInterval(initial: .seconds(300), increaseAfter: .seconds(60), maximum: .seconds(6 * 3600))
    /// When a message is sent again that the router refuses for a full queue although the peer has said that it took its messages; after
    /// the longest delay, `slowRetry` continues.
    package var continuedRetry = RetryInterval(initial: .milliseconds(100), increaseAfter: .zero, maximum: .seconds(10))
    /// The time for which a message is retried when the router cannot be reached.
    package var messageTimeout: Duration = .seconds(2 * 86_400)
    /// The time for which `HELLO` is retried.
    package var helloTimeout: Duration = .seconds(2 * 86_400)
    /// The time for which a message is retried when the queue is full.
    package var quotaExceededTimeout: Duration = .seconds(7 * 86_400)
    /// The time for which a connection that is being deleted waits until its messages are sent.
    package var deletionDeliveryTimeout: Duration = .seconds(2 * 86_400)
    /// The number of attempts to delete a queue.
    package var maximumDeleteAttempts = 10

    /// When the router of a queue that another takes the place of is asked whether anything is left in it.
    package var drainRetry = RetryInterval(initial: .seconds(1), increaseAfter: .seconds(5), maximum: .seconds(15))
    /// The time for which it must be empty before a message that is not the next one is taken. One may be on its way, and its sender waits for a
    /// router's answer before trying again: longer than that.
    package var drainGrace: Duration = .seconds(30)
    /// The time for which its router must be unreachable for that.
    package var drainTimeout: Duration = .seconds(120)
    /// The time for which it must be empty, if it held messages, before the sender may use the other …
    package var moveGrace: Duration = .seconds(5)
    /// … and the time after which the sender may use it in any case.
    package var moveTimeout: Duration = .seconds(120)

    /// A received message that the user did not acknowledge in this many deliveries …
    package var maximumReceiveAttempts = 8
    /// … and for this long is dropped with an error.
    package var receiveExpiry: Duration = .seconds(86_400)
    /// The retention of the records of sent messages (for receipts), and of received ones and accepted requests (against repetition).
    package var messageRecordLifetime: Duration = .seconds(21 * 86_400)

    /// Requests to a contact address that are kept until the user has accepted or rejected them: some 30 KB each. More wait at the address's
    /// router, which refuses the senders of yet more.
    package var maximumRequests = 2_000
    /// The interval between attempts to take a request that waits at its router.
    package var requestRetry: Duration = .seconds(2)

    /// Events that the user has not taken, above which no more messages are taken from routers.
    package var maximumPendingEvents = 10_000
    /// The interval between checks of the number of events that the user has not taken.
    package var pendingEventsRetry: Duration = .milliseconds(100)

    /// Milliseconds for each useless message of a connection, after a burst of 64.
    package var idleWorkInterval: Int64 = 200

    /// The first clean-up after the start, and the time between clean-ups.
    package var initialCleanupDelay: Duration = .seconds(30)
    package var cleanupInterval: Duration = .seconds(300)
    /// Records deleted in one step of a clean-up.
    package var cleanupBatchSize = 10_000

    /// KEM key pairs that are made ahead once the first was needed, so that making one is not waited for; 0 to make each when it is needed.
    /// A pair takes 3 KB.
    package var keyPairPoolSize = 32
    /// Connections whose state is kept in memory when nothing happens in them.
    package var cachedConnections = 512
    /// Messages that are on their way to one router at a time, from all queues. Each is in memory a few times over, as 16 KB; and one that waited behind
    /// thousands of others would exceed the time in which its answer must come.
    package var concurrentDeliveries = 128
    /// Messages of one queue that are kept in memory before they are sent; more are read from the store.
    package var deliveryBufferSize = 64

    /// Stored commands of connections, such as to answer a peer, that are tried for the first time side by side …
    package var concurrentCommands = 256
    /// … and those that are tried again: those that a silent router holds up must leave the others their turn.
    package var concurrentCommandRetries = 64
    /// A command that does not succeed is given up this long after it was stored …
    package var commandLifetime: Duration = .seconds(7 * 86_400)
    /// … if this process has tried it for this long …
    package var commandPatience: Duration = .seconds(3600)
    /// … and so often.
    package var commandAttempts = 10
    /// The record of the commands that are being tried, for the next process after a crash; nil for no record.
    package var inFlight: InFlightTable?

    /// True if connections whose ratchets are out of step agree on new keys without being asked, where nobody is there to ask: see
    /// ``SynchronizationSchedule``. Messages for them wait then.
    package var synchronizesRatchets = false
    /// When the agent subscribes again to queues that another client has taken, if connections agree on new keys without being asked. A copy that was
    /// started by mistake is stopped sooner or later; while it runs, the two take the queues from each other, less and less often.
    package var takeoverRetry = RetryInterval(initial: .seconds(60), increaseAfter: .zero, maximum: .seconds(6 * 3600))
    /// Told that another client has taken the subscriptions (true), and that they are this agent's again (false).
    package var onTakeover: @Sendable (Bool) -> Void = { _ in }
    /// The logger of the agent.
    package var logger = Logger(label: "agent")

    /// Bytes by which messages are padded less than ``AgentLimits`` says, for simulations of many messages.
    var paddingReduction = 0

    package init() {}
}
