import NIOCore
import Synchronization

/// The connections of a server, so that it can close them.
final class OpenSessions: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    func add(_ channel: any Channel) {
        channels.withLock { $0[ObjectIdentifier(channel)] = channel }
        channel.closeFuture.whenComplete { [weak self] _ in
            self?.channels.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(channel)) }
        }
    }

    func closeAll() async {
        for channel in channels.withLock({ Array($0.values) }) { try? await channel.close() }
    }
}
