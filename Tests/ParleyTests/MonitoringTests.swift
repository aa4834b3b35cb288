import ChatAPI
import ChatProtocol
import CoreMetrics
import EncryptedSQLite
import Foundation
import InMemoryTracing
import Logging
import NIOCore
import NIOPosix
import ParleyRules
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing
import Tracing

@testable import Hosting
@testable import Parley

/// The counts, logs and health of bots that run on a scripted core.
@Suite struct MonitoringTests {
    private struct Refusal: Error {}

    private static let bot = Bot("Echo", id: "echo") {
        On(.text("fail")) { _ in throw Refusal() }
        On(.text("both")) { message in
            _ = try await message.reply("one")
            try await message.react("👍")
        }
    }

    @Test func eventsHandlersAndEffectsAreCounted() async throws {
        let registry = MetricsRegistry(), monitor = HostMonitor(factory: registry)
        let runner = try BotSessionRunner(monitor: monitor)
        let session = try await runner.run(Self.bot) { _, session in
            let ann = try runner.core.add(contact: 4, name: "ann")
            for text in ["both", "fail", "nothing answers this"] { _ = runner.core.receive(text, from: ann) }
            return session
        }
        await session.settle()
        let status = await monitor.status(of: session)
        let counts = try #require(status.profiles.first).counts
        #expect((counts.events, counts.completed, counts.failed, counts.effects, counts.dropped) == (3, 1, 1, 2, 0))
        #expect(status.profiles.first?.chats == 1 && status.profiles.first?.waiting == 0)
        let text = status.metrics(behind: registry).text
        for line in [
            #"parley_events_total{bot="echo",kind="message"} 3"#, #"parley_handlers_total{bot="echo",outcome="completed"} 1"#,
            #"parley_handlers_total{bot="echo",outcome="failed"} 1"#, #"parley_effects_total{bot="echo",effect="send"} 1"#,
            #"parley_effects_total{bot="echo",effect="react"} 1"#, #"parley_handler_duration_seconds_count{bot="echo"} 2"#, "parley_profiles 1",
            #"parley_chats{bot="echo"} 1"#,
        ] { #expect(text.contains(line + "\n"), "\(line)") }
    }

    @Test func anActionOfARuleThatFailsIsCountedAndRemembered() async throws {
        let registry = MetricsRegistry(), monitor = HostMonitor(factory: registry)
        let runner = try BotSessionRunner(monitor: monitor)
        let file = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  desk:
                    trusted-contacts: Kitchen
                    rules:
                      - { id: pass, when: { message: any }, then: { tell: { chat: Kitchen, text: an order } } }
                """)
        let bot = try #require(try file.makeBots().first)
        let session = try await runner.run(bot) { _, session in
            _ = runner.core.receive("soup", from: try runner.core.add(contact: 4, name: "ann"))
            return session
        }
        await session.settle()
        let status = await monitor.status(of: session)
        let counts = try #require(status.profiles.first).counts
        #expect((counts.completed, counts.failed) == (1, 1))
        let failure = try #require(monitor.failures.first)
        #expect(failure.bot == "desk" && failure.place == "pass: tell")
        #expect(status.metrics(behind: registry).text.contains(#"parley_actions_failed_total{bot="desk",code="\#(failure.code)"} 1"#))
    }

    @Test func aFailureIsRememberedWithoutAnybodysText() async throws {
        let monitor = HostMonitor()
        let runner = try BotSessionRunner(monitor: monitor)
        try await runner.run(Self.bot) { _, _ in
            let ann = try runner.core.add(contact: 4, name: "ann")
            _ = runner.core.receive("fail", from: ann)
        }
        let failure = try #require(monitor.failures.first)
        #expect(failure.bot == "echo" && failure.code == "handler")
        #expect(failure.place.contains("MonitoringTests.swift:"))
        for number in 1...(2 * HostMonitor.failureLimit) {
            monitor.note(HostMonitor.Failure(time: Date(timeIntervalSince1970: Double(number)), bot: "b", code: "c", place: ""))
        }
        #expect(monitor.failures.count == HostMonitor.failureLimit)
        #expect(monitor.failures.first?.time == Date(timeIntervalSince1970: Double(2 * HostMonitor.failureLimit)))
    }

    @Test func aFailureWithACodeIsKnownByIt() async throws {
        let monitor = HostMonitor()
        let runner = try BotSessionRunner(monitor: monitor)
        try await runner.run(Bot("Echo", id: "echo") { On(.text) { _ in throw ReplyError(.timedOut, "nothing came") } }) { _, _ in
            _ = runner.core.receive("hello", from: try runner.core.add(contact: 4, name: "ann"))
        }
        #expect(monitor.failures.map(\.code) == ["reply.timedOut"])
        #expect("\(ReplyError(.timedOut, "nothing came"))" == "reply.timedOut: nothing came")
    }

    @Test func recordsOfOneEventShareItsID() async throws {
        let records = LogRecords()
        let logger = Logger(label: "test") { _ in LogRecords.Handler(records: records) }
        let runner = try BotSessionRunner(logger: logger)
        let bot = Bot("Echo", id: "echo") {
            On(.text("both")) { message in
                message.client.logger.notice("from the handler")
                _ = try await message.reply("one")
            }
        }
        let item = try await runner.run(bot) { _, _ in
            let ann = try runner.core.add(contact: 4, name: "ann")
            let item = runner.core.receive("both", from: ann)
            return item
        }
        for message in ["event", "from the handler", "effect", "handler completed"] {
            let record = try #require(records.all.first { $0.message == message }, "\(message)")
            #expect(record.metadata["event"] == "1/item/\(item)")
            #expect(record.metadata["bot"] == "echo")
        }
        #expect(!records.all.contains { "\($0)".contains("both") })
    }

    @Test func aTraceLeadsFromTheEventOverTheHandlerToItsEffects() async throws {
        let runner = try BotSessionRunner(), tracer = Self.tracer
        let bot = Bot("Traced", id: "traced") { On(.text("both")) { message in _ = try await message.reply("one") } }
        let item = try await runner.run(bot) { _, _ in
            let ann = try runner.core.add(contact: 4, name: "ann")
            let item = runner.core.receive("both", from: ann)
            return item
        }
        let spans = tracer.finishedSpans
        let event = try #require(spans.first { $0.attributes.get("parley.bot") == .string("traced") && $0.attributes.get("parley.kind") == .string("message") })
        #expect(event.operationName == "parley.event" && event.attributes.get("parley.event") == .string("1/item/\(item)"))
        let handler = try #require(spans.first { $0.parentSpanID == event.spanID })
        #expect(handler.operationName == "parley.handler")
        let effect = try #require(spans.first { $0.parentSpanID == handler.spanID })
        #expect(effect.operationName == "parley.effect" && effect.attributes.get("parley.effect") == .string("send"))
    }

    /// The tracer of this process: it can be set once.
    private static let tracer: InMemoryTracer = {
        let tracer = InMemoryTracer()
        InstrumentationSystem.bootstrap(tracer)
        return tracer
    }()

    @Test func healthTellsWhatIsWrong() {
        func status(_ phase: HostMonitor.Phase, failing: Bool) -> HostStatus {
            HostStatus(
                phase: phase, isStorageFailing: failing, uptime: .seconds(1), profiles: [], routers: [.init(address: "r", isReached: false)], running: 0,
                relay: nil, failures: [], residentBytes: nil)
        }
        #expect(status(.ready, failing: false).isHealthy)
        #expect(!status(.starting, failing: false).isHealthy && !status(.stopping, failing: false).isHealthy)
        let failing = status(.ready, failing: true)
        #expect(!failing.isHealthy)
        #expect(failing.health.text.contains(#""problems":["storage"]"#) && failing.health.text.contains(#""unreachableRouters":1"#))
    }

    @Test func aRouterIsReachedFromTheFirstRunOn() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        let internet = SimulatedInternet(), router = internet.addRouter("router.example"), monitor = HostMonitor()
        for _ in ["the first run", "another one"] {
            let network = internet.makeClient()
            var configuration = HostConfiguration(dataFolder: folder.path, servers: [router.address.wireString], logger: HostSessionTests.logger)
            configuration.databaseKey = nil
            let host = try await CoreHost.open(configuration, network: network)
            let store = try BotStateStore(path: folder.path + "/bots.db", logger: HostSessionTests.logger)
            let session = HostSession(core: host.core, bots: [Self.bot], store: store, maxConcurrentHandlers: 8, logger: HostSessionTests.logger)
            try await session.running { _ in
                func waitForLine(ending value: Int) async throws {
                    let line = "parley_router_reached{router=\"\(router.address.wireString)\"} \(value)\n"
                    try await eventually(line) { await monitor.status(of: session).metrics(behind: nil).text.contains(line) }
                }
                try await waitForLine(ending: 1)
                network.disconnect(router.address)
                try await waitForLine(ending: 0)
                network.reconnect(router.address)
                try await waitForLine(ending: 1)
                await host.close()
            }
            try await store.close()
        }
    }

    @Test func routersAreThoseOfAllSubscriptions() {
        let routers = HostStatus.Router.all(active: ["b": 2, "c": 1], pending: ["a": 1, "c": 1])
        #expect(routers.map(\.address) == ["a", "b", "c"] && routers.map(\.isReached) == [false, true, true])
        #expect(HostStatus.Router.all(active: .null, pending: [:]).isEmpty)
    }

    @Test func anotherCopyAndLostConnectionsAreProblems() async {
        let monitor = HostMonitor()
        monitor.enter(.ready)
        #expect(await monitor.status(of: nil).isHealthy)
        monitor.health.noteTakeover(true)
        monitor.health.noteLostConnections(true)
        let status = await monitor.status(of: nil)
        #expect(!status.isHealthy && status.health.text.contains(#""problems":["anotherCopy","connections"]"#))
        monitor.health.noteTakeover(false)
        monitor.health.noteLostConnections(false)
        #expect(await monitor.status(of: nil).isHealthy)
        monitor.health.attachRouters { true }
        #expect(await monitor.status(of: nil).health.text.contains(#""problems":["storage"]"#))
    }

    @Test func storageFailsWhileOneDatabaseFails() {
        let health = HostHealth()
        let error = StorageError(.diskFull, "full")
        health.note(.failing(error))
        health.note(.failing(error))
        health.note(.healed(failedFor: .seconds(1)))
        #expect(health.isStorageFailing)
        health.note(.healed(failedFor: .seconds(1)))
        #expect(!health.isStorageFailing)
    }

    @Test func theEndpointServesMetricsAndHealth() async throws {
        let monitor = HostMonitor(), registry = MetricsRegistry()
        let endpoint = try await MonitoringEndpoint.start(MonitoringAddress(port: 0), registry: registry) { await monitor.status(of: nil) }
        func get(_ path: String) async throws -> String {
            let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: endpoint.port) { channel in
                channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel) }
            }
            return try await client.executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
                var answer = ""
                for try await bytes in inbound { answer += String(buffer: bytes) }
                return answer
            }
        }
        #expect(try await get("/healthz").hasPrefix("HTTP/1.1 503 "))
        monitor.enter(.ready)
        let health = try await get("/healthz")
        #expect(health.hasPrefix("HTTP/1.1 200 ") && health.contains(#"{"status":"ok","problems":[]"#))
        #expect(try await get("/metrics").contains("parley_ready 1\n"))
        #expect(try await get("/").hasPrefix("HTTP/1.1 404 "))
        do {
            _ = try await MonitoringEndpoint.start(MonitoringAddress(port: UInt16(endpoint.port)), registry: nil) { await monitor.status(of: nil) }
            Issue.record("the port is taken")
        } catch {
            #expect(error.code == .monitoring && error.message.contains("another program listens there"))
        }
        await endpoint.stop()
    }
}

/// Log records in memory.
private final class LogRecords: Sendable {
    struct Record: Sendable {
        let message: String
        let metadata: [String: String]
    }

    private let records = Mutex<[Record]>([])
    var all: [Record] { records.withLock { $0 } }

    func add(_ record: Record) { records.withLock { $0.append(record) } }

    struct Handler: LogHandler {
        let records: LogRecords
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            records.add(Record(message: "\(event.message)", metadata: all.mapValues { "\($0)" }))
        }
    }
}
