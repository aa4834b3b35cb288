package import ChatEngine
package import ChatProtocol
package import EncryptedSQLite

extension NativeCore {
    /// Opens the core of a folder, with connections and files that a simulator has.
    ///
    /// - Parameters:
    ///   - device: The name of the core in the simulation. A core of the same name continues where the last one has ended.
    ///   - now: The time of the chat layer.
    ///   - age: The time by which messages disappear.
    /// - Throws: As ``NativeCore/open(_:network:)``.
    package static func open(
        _ configuration: NativeCoreConfiguration, simulatedBy simulator: ConnectionSimulator, as device: String, now: @escaping @Sendable () -> UTCTimestamp,
        age: @escaping @Sendable () -> UTCTimestamp
    ) throws(StorageError) -> NativeCore {
        let agent = SimulatedAgent(simulator, as: device)
        let files = simulator.files(of: device), events = FileEventRelay()
        files.attach(events)
        return try open(configuration, services: NativeCoreServices(agent: agent, reports: agent.events, files: files, fileEvents: events), now: now, age: age)
    }
}
