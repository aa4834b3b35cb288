/// The events of a core, as one subscriber reads them. It ends when the core is closed.
public struct ChatEvents: AsyncSequence, Sendable {
    /// The type of the elements.
    public typealias Element = ChatEvent
    /// The type of the errors.
    public typealias Failure = ChatCoreError

    let subscription: ChatEventSubscription

    init(_ subscription: ChatEventSubscription) { self.subscription = subscription }

    /// Reads events one at a time. Only one task may read from a subscription.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let subscription: ChatEventSubscription

        /// The next event; nil when the core is closed or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ChatCoreError) -> ChatEvent? {
            try await subscription.next()
        }

        /// The next event; nil when the core is closed or the task is cancelled.
        public mutating func next() async throws(ChatCoreError) -> ChatEvent? { try await subscription.next() }
    }

    /// Makes an iterator over the events from now on.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscription) }

    /// True if the reader has handled every event up to now and waits for the next, or if there will be none.
    package var isDrained: Bool { subscription.isDrained }

    /// Ends the subscription: the reader gets the waiting events, then nil.
    public func cancel() { subscription.finish() }
}
