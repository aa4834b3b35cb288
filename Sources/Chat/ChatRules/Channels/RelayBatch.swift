package import ChatAPI
import ChatProtocol
package import SMPWire

extension RelayScope {
    /// The receivers of a message by those to whom groups without relays forward it.
    package init(_ audience: ForwardAudience) {
        switch audience {
        case .group, .channel, .everybodyAtLast: self = .all
        case .comments: self = .comments
        case .support(let member): self = .support(member)
        }
    }
}

/// The tasks of a relay that go together in one body.
package struct RelayBatch: Sendable, Hashable {
    /// Empty if there is nothing to deliver.
    package var body: Bytes
    package var scope: RelayScope
    /// The author of all of them, if it is one.
    package var singleSender: GroupMemberID?
    /// The authors who are shown first to those who do not know them, each once.
    package var introduced: [GroupMemberID]
    package var endsService: Bool
    /// The tasks that the body holds.
    package var delivered: [Int64]
    /// Tasks that fit in no body.
    package var tooLarge: [Int64]

    /// The longest run of tasks for the same receivers, from the first one on, that fits in a body.
    ///
    /// - Parameter tasks: The waiting tasks, oldest first.
    /// - Returns: nil if there are none.
    package init?(_ tasks: [RelayTask]) {
        guard let first = tasks.first else { return nil }
        // What ends the service is delivered by itself, after all that came before.
        let run = first.endsService ? [first] : Array(tasks.prefix { $0.scope == first.scope && !$0.endsService })
        let (body, done, tooLarge) = MessageBatching.delivery(of: run.map(\.element))
        let large = Set(tooLarge)
        let taken = run.prefix(done).enumerated()
        let included = taken.filter { !large.contains($0.offset) }.map(\.element)
        self.body = body
        scope = first.scope
        let senders = Set(included.map(\.sender))
        singleSender = senders.count == 1 ? senders.first : nil
        // Comments come with the names of their authors, of whom there may be very many.
        introduced = first.scope == .all && !first.endsService ? Set(included.filter(\.introduces).map(\.sender)).sorted() : []
        endsService = first.endsService
        delivered = included.map(\.id)
        self.tooLarge = taken.filter { large.contains($0.offset) }.map(\.element.id)
    }
}
