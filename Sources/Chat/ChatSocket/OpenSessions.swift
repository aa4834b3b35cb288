import NIOCore
import Synchronization

/// The connections of a server: at most so many at a time, which it can close together.
final class OpenSessions: Sendable {
    private let limit: Int
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    init(limit: Int) { self.limit = limit }

    /// Takes a connection in, until it ends.
    ///
    /// - Returns: false if there are as many as there may be.
    func admit(_ channel: any Channel) -> Bool {
        let isAdmitted = channels.withLock { channels in
            guard channels.count < limit else { return false }
            channels[ObjectIdentifier(channel)] = channel
            return true
        }
        guard isAdmitted else { return false }
        channel.closeFuture.whenComplete { [weak self] _ in
            self?.channels.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(channel)) }
        }
        return true
    }

    func closeAll() async {
        for channel in channels.withLock({ Array($0.values) }) { try? await channel.close() }
    }
}
