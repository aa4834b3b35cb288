import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import ChatSimulation
import EncryptedSQLite
import Foundation
import Logging
import SMPClient
import SMPProtocol
import SMPSimulation
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore
@testable import SMPAgent

extension CrashPoint: ChatStoreInterceptor {}
extension CrashPoint: StoreInterceptor {}

/// Routers and cores in one process.
final class TestWorld: Sendable {
    let internet = SimulatedInternet()
    let router: SimulatedRouter

    /// - Parameter quota: The messages that a queue takes.
    init(quota: Int = 128) { router = internet.addRouter("router.example", quota: quota) }

    /// With a router that is reached by that address.
    init(routerAddress: SMPServerAddress) { router = internet.addRouter(at: routerAddress) }

    /// A core with one profile, started.
    ///
    /// - Parameter configure: changes how the core is set up.
    func core(
        _ name: String, prefix: String? = nil, presets: [Profile] = [], configure: (inout NativeCoreConfiguration) -> Void = { _ in }
    ) async throws -> TestCore {
        let core = try await open(prefix: prefix, presets: presets, configure: configure)
        _ = try await core.createUser(name)
        return core
    }

    /// Connects two cores by a one-time link.
    ///
    /// - Returns: The contacts, as the first and as the second core know each other.
    static func connect(_ one: TestCore, _ two: TestCore) async throws -> (ContactID, ContactID) {
        let before = (await one.connected().count, await two.connected().count)
        try await two.join(try await one.invite())
        let isConnected = (
            await one.eventually { await one.connected().count > before.0 }, await two.eventually { await two.connected().count > before.1 }
        )
        try #require(isConnected.0 && isConnected.1, "they are not connected in time")
        return try (#require(await one.connected().last), #require(await two.connected().last))
    }

    /// A core on a folder as it is, started.
    func open(
        prefix: String? = nil, key: DatabaseKey? = nil, presets: [Profile] = [], crash: CrashPoint? = nil, agent: AgentConfiguration = .quick,
        storeFaults: (any ChatStoreInterceptor)? = nil, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> UTCTimestamp = { .current() },
        files: SimulatedFileService? = nil,
        reports: (AsyncStream<AgentNotification>) -> AsyncStream<AgentNotification> = { $0 },
        configure: (inout NativeCoreConfiguration) -> Void = { _ in }
    ) async throws -> TestCore {
        var configuration = configuration(prefix: prefix)
        configure(&configuration)
        configuration.presetContacts = presets
        configuration.agent = agent
        let network = internet.makeClient()
        crash?.connect(network)
        let lock = try prefix.map { try FolderLock(path: $0 + ".lock") }
        let store = try ChatStore(prefix: prefix, key: key, interceptor: storeFaults ?? crash)
        let agentStore = try AgentStore(path: prefix.map { $0 + "_agent.db" }, key: key, interceptor: crash)
        let real = SMPAgent(configuration: agent, store: agentStore, network: network)
        let relay = FileEventRelay()
        files?.attach(relay)
        let core = NativeCore(
            configuration: configuration, store: store, agent: real, reports: reports(real.events), network: network, lock: lock,
            files: files ?? UnavailableFileService(reason: "the test has none"), fileEvents: relay, clock: clock, now: now)
        let test = TestCore(core, network)
        try await core.start()
        return test
    }

    func configuration(prefix: String?) -> NativeCoreConfiguration {
        var logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        if let level = ProcessInfo.processInfo.environment["ENGINE_LOG"].flatMap({ Logger.Level(rawValue: $0) }) {
            logger = Logger(label: "test") { label in StreamLogHandler.standardError(label: label) }
            logger.logLevel = level
        }
        return NativeCoreConfiguration(prefix: prefix, servers: [SMPServerWithAuth(router.address)], logger: logger)
    }
}

extension AgentConfiguration {
    /// Short waits, so that tests of retries are quick.
    static var quick: AgentConfiguration {
        var configuration = AgentConfiguration()
        configuration.fastRetry = RetryInterval(initial: .milliseconds(2), increaseAfter: .milliseconds(10), maximum: .milliseconds(20))
        configuration.keyPairPoolSize = 0
        // Those who send much that is of no use are slowed down, and the tests that do so would wait for it.
        configuration.idleWorkInterval = 1
        return configuration
    }

    /// Without post-quantum encryption too, whose keys would take most of the time of a test that makes many connections.
    static var light: AgentConfiguration {
        var configuration = quick
        configuration.ratchetVersions = VersionRange(2)
        return configuration
    }
}
