import Foundation
import Logging
import RouterSupport
import SMPProtocol
import SMPServer
import SMPWire
import TestSupport
import Testing
import XFTPServer

@testable import Hosting

/// The test of routers by `parley doctor`.
@Suite struct RouterProbeTests {
    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private static let probe = RouterProbe(RouterNetwork(HostNetwork()), limit: .seconds(60))

    @Test func aRouterKeepsNothingOfItsTest() async throws {
        var configuration = RouterConfiguration(storage: .memory)
        configuration.host = "127.0.0.1"
        configuration.port = 0
        configuration.advertisedHosts = [try TransportHost(wireString: "127.0.0.1")]
        let router = try await SMPRouter.start(configuration, logger: Self.quiet)
        let target = try RouterTarget(router.address.wireString)
        let outcome = await Self.probe.test(target)
        #expect(outcome.failure == nil && outcome.version == SMPVersion.offered.max && outcome.connecting != nil, "\(outcome)")
        #expect(router.statistics.queues == 0)
        await router.stop()
        guard case .unreachable? = await Self.probe.test(target).failure else { return #expect(Bool(false), "a router that is gone was reached") }
    }

    @Test func aFileRouterAsksForItsPassword() async throws {
        let folder = try TemporaryFolder()
        var configuration = FileRouterConfiguration(folder: folder.path)
        configuration.host = "127.0.0.1"
        configuration.port = 0
        configuration.advertisedHosts = [try TransportHost(wireString: "127.0.0.1")]
        configuration.basicAuth = BasicAuth(Bytes("word".utf8))
        let router = try await FileRouter.start(configuration, logger: Self.quiet)
        let without = try RouterTarget(router.address.wireString)
        #expect(without.isForFiles && !without.hasPassword)
        #expect(await Self.probe.test(without).failure == .password)
        let with = try RouterTarget(XFTPServerWithAuth(router.address, basicAuth: configuration.basicAuth).wireString)
        let outcome = await Self.probe.test(with)
        #expect(outcome.failure == nil && outcome.version != nil, "\(outcome)")
        #expect(!with.text.contains("word") && !with.name.contains("word"))
        await router.stop()
    }

    @Test func theRoutersOfAConfigurationAreThoseOfItsNetwork() throws {
        var configuration = HostConfiguration(dataFolder: "none", logger: Self.quiet)
        (configuration.servers, configuration.fileServers) = ([], [])
        #expect(try RouterTarget.all(in: configuration).isEmpty)
        configuration.network = .presetOperators(acceptingConditions: false)
        let preset = try RouterTarget.all(in: configuration)
        #expect(preset.contains { $0.name == "smp9.simplex.im" } && preset.contains(where: \.isForFiles))
        // Without a proxy, onion hosts are not reached.
        #expect(RouterNetwork(configuration.network).lookedUpNames(of: preset[0]) == [preset[0].hosts[0].description])
        var network = configuration.network
        try network.set(.socksProxy, to: "127.0.0.1:9050")
        #expect(RouterNetwork(network).lookedUpNames(of: preset[0]) == [], "the proxy looks names up")
        configuration.servers = [preset[0].text]
        #expect(throws: HostError.self) { try RouterTarget.all(in: configuration) }
    }
}
