import SMPProtocol

@testable import SMPClient

/// Takes a pool's events one by one.
final class EventReader {
    private var iterator: AsyncStream<SMPClientEvent>.Iterator

    init(_ pool: SMPClientPool) { iterator = pool.events.makeAsyncIterator() }

    /// The next event in short: its name and its queues' first bytes.
    func next() async -> String {
        switch await iterator.next() {
        case .connected: "connected"
        case .disconnected(_, let queues): "disconnected \(names(queues))"
        case .subscribed(_, let queues): "subscribed \(names(queues))"
        case .subscriptionFailed(_, let queue, let error): "failed \(names([queue])) \(error.label)"
        case .message(_, let queue, let message): "message \(names([queue])) \(message.id.bytes.first ?? 0)"
        case .ended(_, let queue): "ended \(names([queue]))"
        case .associated(_, let queues, let service): "\(service == nil ? "free" : "associated") \(names(queues))"
        case .notification(_, let notifier, _, _): "notification \(names([notifier]))"
        case .service(_, .complete(let count)): "service \(count)"
        case .service(_, .incomplete(let counted, let expected)): "service \(counted) of \(expected)"
        case .service(_, .unavailable(let error)): "no service: \(error.label)"
        case .service(_, .allDelivered): "service delivered"
        case .service(_, .ended(let queues)): "service ended, \(queues.count)"
        case .deleted(_, let queue): "deleted \(names([queue]))"
        case nil: "finished"
        }
    }

    private func names(_ queues: [RecipientID]) -> String {
        queues.map { String($0.bytes.first ?? 0) }.sorted().joined(separator: ",")
    }
}

/// A queue id made of one byte.
func queueID(_ byte: UInt8) -> EntityID { EntityID(Array(repeating: byte, count: 24)) }

func correlationID(_ byte: UInt8) -> CorrelationID { CorrelationID(Array(repeating: byte, count: 24)) }

func message(_ byte: UInt8) -> SMPBrokerMessage {
    .msg(ReceivedMessage(id: MessageID(Array(repeating: byte, count: 24)), encryptedBody: [1, 2, 3]))
}

/// The code of the error of a result; nil for success.
func code(_ result: Result<SMPBrokerMessage, SMPClientError>) -> SMPClientError.Code? {
    if case .failure(let error) = result { error.code } else { nil }
}

/// The code of the error that `body` throws; nil if it throws none.
func clientErrorCode(_ body: () async throws(SMPClientError) -> Void) async -> SMPClientError.Code? {
    do throws(SMPClientError) {
        try await body()
        return nil
    } catch {
        return error.code
    }
}
