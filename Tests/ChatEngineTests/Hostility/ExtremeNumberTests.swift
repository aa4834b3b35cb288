import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import Foundation
import SMPAgent
import SMPProtocol
import SMPWire
import TestSupport
import Testing
import TranscriptSupport

@testable import ChatEngine
@testable import ChatStore

/// Numbers at the ends of what types hold, in commands and in what peers send. A trap anywhere ends the tests.
@Suite("Extreme numbers")
struct ExtremeNumberTests {
    // MARK: Commands

    /// Recorded commands with each of their numbers replaced by each extreme one, but those about files on this disk.
    private static func commands() throws -> [[String]] {
        let recorded = try Set(Transcript.names.flatMap { try Transcript.load($0).exchanges.map(\.command) }).sorted()
        let own = [
            "/_get chat @2 initial=20", "/_get chat @2 count=20", "/_get chat @2 around=1 count=20", "/_get chat @2 after=1 count=20",
            "/_get chat @2 before=1 count=20", "/_get chat *1 initial=20", "/_get items around=1 count=20", "/_get items initial=20",
            "/_get chats 1 pcc=on count=20", "/_get chats 1 before=2026-01-01T00:00:00Z count=20", "/last_item_id @bob 0", "/last_item_id 3",
            "/tail @bob 10", "/search @bob 10 x", "/chats 10", "/_send @2 live=on ttl=60 json [{\"msgContent\":{\"type\":\"text\",\"text\":\"x\"}}]",
            "/_send @2 ttl=60 text x", "/_ttl 1 @2 60", "/_ttl 1 60", "/_app suspend 100", "/_set prefs @2 {\"timedMessages\":{\"allow\":\"yes\",\"ttl\":60}}",
            "/set disappear @bob yes 60", "/_read chat items @2 1,2", "/_delete item @2 1,2 broadcast",
            "/_reaction @2 1 on {\"type\":\"emoji\",\"emoji\":\"👍\"}",
            "/_network {\"socksMode\":\"always\",\"hostMode\":\"public\",\"requiredHostMode\":false,\"sessionMode\":\"session\",\"smpProxyMode\":\"never\","
                + "\"smpProxyFallback\":\"allow\",\"smpWebPortServers\":\"off\",\"tcpConnectTimeout\":{\"backgroundTimeout\":45000000,"
                + "\"interactiveTimeout\":15000000},\"tcpTimeout\":{\"backgroundTimeout\":30000000,\"interactiveTimeout\":10000000},"
                + "\"tcpTimeoutPerKb\":5000,\"rcvConcurrency\":8,\"tcpKeepAlive\":{\"keepIdle\":30,\"keepIntvl\":15,\"keepCnt\":4},"
                + "\"smpPingInterval\":600000000,\"smpPingCount\":3,\"logTLSErrors\":false}",
            "/network socks=off timeout=10", "/_reorder tags 1,2", "/_tags @2 1,2", "/_get item info @2 1", "/_forward plan @2 1,2",
        ]
        return (own + recorded).filter { command in !["/_db", "/db", "/sql", "/_files", "/_temp", "/_remote"].contains { command.hasPrefix($0) } }
            .map { ExtremeNumbers.replacements(in: $0) }.filter { !$0.isEmpty }
    }

    /// Of each command's replacements one in so many, or all with `PARLEY_NUMBERS=all`.
    private static func sampled(_ commands: [String], _ random: inout SplitMix64) -> [String] {
        guard ProcessInfo.processInfo.environment["PARLEY_NUMBERS"] != "all" else { return commands }
        return (0..<max(4, commands.count / 60)).compactMap { _ in commands.randomElement(using: &random) }
    }

    @Test("every recorded command with any of its numbers brought to an end is answered or refused")
    func recordedCommands() async throws {
        let seed = ProcessInfo.processInfo.environment["PARLEY_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64(UInt32.max))
        FileHandle.standardError.write(Data("extreme numbers: PARLEY_SEED=\(seed)\n".utf8))
        var random = SplitMix64(seed: seed)
        let groups = try Self.commands().map { Self.sampled($0, &random) }
        var count = 0
        // What a command did, such as deleting the profile, must not spare those behind it.
        for groups in stride(from: 0, to: groups.count, by: 40).map({ groups[$0..<min($0 + 40, groups.count)] }) {
            let world = TestWorld()
            let alice = try await world.core("alice"), bob = try await world.core("bob")
            let (contact, _) = try await TestWorld.connect(alice, bob)
            _ = try await alice.send("one", to: contact)
            for command in groups.joined() {
                FileHandle.trace?.write(Data("\(command)\n".utf8))
                let answer = try await withTimeLimit(.seconds(120), else: "no answer to \(command.prefix(300))") { await alice.answer(command) }
                #expect(answer["type"]?.stringValue != nil, "\(command.prefix(300))")
                // The settings that a command made are used.
                if command.hasPrefix("/_network") || command.hasPrefix("/_set prefs") { _ = await alice.answer("/_send @\(contact) text x") }
                count += 1
            }
            // The whole state can be read, whatever was put into it.
            for command in ["/_get chats 1 pcc=on", "/_get chat @\(contact) count=100", "/_get chat *1 count=100", "/users", "/network"] {
                let answer = try await withTimeLimit(.seconds(120), else: "no answer to \(command)") { await alice.answer(command) }
                #expect(answer["type"]?.stringValue != nil)
                #expect(try JSONValue(parsing: answer.text) == answer)
            }
            await alice.close()
            await bob.close()
        }
        FileHandle.standardError.write(Data("extreme numbers: \(count) commands\n".utf8))
        #expect(count > 1_000)
    }

    // MARK: What peers send

    /// Messages of all kinds with a hole for a number.
    private static let messages = [
        #"{"v":"1-16","msgId":"AAAAAAAAAAAAAAAA","event":"x.msg.new","params":{"content":{"type":"text","text":"x"},"ttl":0}}"#,
        #"{"v":"1-16","msgId":"AAAAAAAAAAAAAAAB","event":"x.msg.new","params":{"content":{"type":"voice","text":"","duration":0}}}"#,
        #"{"v":"1-16","msgId":"AAAAAAAAAAAAAAAC","event":"x.msg.new","params":{"content":{"type":"file","text":""},"file":{"fileName":"f","fileSize":0}}}"#,
        #"{"v":"1-16","msgId":"AAAAAAAAAAAAAAAD","event":"x.msg.update","params":{"msgId":"AAAAAAAAAAAAAAAA","content":{"type":"text","text":"y"},"ttl":0}}"#,
        #"{"v":"1-16","event":"x.info","params":{"profile":{"displayName":"bob","fullName":"","preferences":{"timedMessages":{"allow":"always","ttl":0}}}}}"#,
        #"{"v":"1-16","event":"x.contact","params":{"profile":{"displayName":"bob","fullName":"","preferences":{"timedMessages":{"allow":"always","ttl":0}}}}}"#,
        #"{"v":"1-16","event":"x.never","params":{"n":0}}"#,
    ]
    private static let times = [
        "0000-01-01T00:00:00Z", "1600-01-01T00:00:00Z", "1677-09-21T00:12:43.145224192Z", "1677-09-21T00:12:43.145224191Z", "9999-12-31T23:59:59.999999999Z",
        "2262-04-11T23:47:16.854775808Z", "9999-12-31T23:59:60Z", "0000-01-01T00:00:00+12:00",
    ]

    @Test("numbers and times of messages and requests end nothing, and what they leave can be read")
    func receivedNumbers() async throws {
        let world = TestWorld(), injector = ReportInjector()
        let alice = try await world.open(agent: .light, reports: injector.attach), bob = try await world.core("bob")
        _ = try await alice.createUser("alice")
        try await bob.join(try await alice.invite())
        try #require(await alice.eventually { await !alice.connected().isEmpty })
        let contact = try #require(await alice.connected().first)
        _ = try await alice.run("/_set prefs @\(contact) {\"timedMessages\":{\"allow\":\"yes\",\"ttl\":60}}")
        _ = try await alice.run("/_address 1")
        let connection = injector.connected
        let address = try await alice.native.engine.store.read { db in
            try db.firstID("SELECT connection_id FROM connections WHERE user_contact_link_id IS NOT NULL").flatMap { try db.connections.find($0) }
        }
        let ends: [Int64] = [.min, .min + 1, -1, 0, .max - 1, .max]
        var bodies: [String] = Self.messages.flatMap { ExtremeNumbers.replacements(in: $0) }
        bodies += Self.times.map { time in
            "{\"v\":\"1-16\",\"event\":\"x.msg.new\",\"params\":{\"content\":{\"type\":\"text\",\"text\":\"x\"},\"quote\":{\"msgRef\":{\"msgId\":"
                + "\"AAAAAAAAAAAAAAAA\",\"sentAt\":\"\(time)\",\"sent\":true},\"content\":{\"type\":\"text\",\"text\":\"q\"}}}}"
        }
        for (index, template) in bodies.enumerated() {
            // Each is a message of its own: what comes under an id that is taken is ignored.
            let shared = Bytes((0..<12).map { UInt8(truncatingIfNeeded: (index + 1) >> ($0 * 8)) })
            let head = #"{"v":"1-16","msgId":""#, isNew = template.hasPrefix(head)
            let body = isNew ? head + Base64URL.encode(shared) + template.dropFirst(head.count + 16) : template
            let metadata = MessageMetadata(
                integrity: .skipped(from: ends[index % 6], to: ends[index / 6 % 6]), messageID: AgentMessageID(1_000_000 + index), receivedAt: 0,
                brokerID: [1], brokerTime: ends[index % 5], senderMessageID: ends[index % 4], pqEncryption: false)
            injector.inject(.message(metadata, MessageFlags(notification: true), Bytes(body.utf8)), connection)
            guard body.contains("x.contact") else { continue }
            let id = InvitationID(Bytes((0..<12).map { UInt8(truncatingIfNeeded: index >> ($0 * 8)) }))
            injector.inject(
                .request(id, pqSupport: false, servers: [], info: Bytes(body.utf8)), ConnectionID(try #require(address).agentConnectionID))
        }
        for time in ends {
            injector.inject(.failed(AgentError(.agent(.duplicate(dropped: AgentError.DroppedMessage(brokerTime: time, attempts: 4))))), connection)
        }
        injector.inject(.suspended, nil)
        #expect(await alice.wait { $0.contains(.chatSuspended) })
        // All that came is there and can be read; in steps, as there is much of it.
        for command in ["/_get chats 1 pcc=on", "/_get chat @\(contact) count=10000", "/_get chat @\(contact) initial=100", "/_read chat @\(contact)"] {
            let answer = await alice.answer(command)
            #expect(answer["type"]?.stringValue != "chatCmdError", "\(answer.text.prefix(300))")
            #expect(try JSONValue(parsing: answer.text) == answer)
        }
        let items = await alice.messages(with: contact, count: 10_000)
        #expect(items.count { $0.quotedItem != nil } == Self.times.count - 2)
        #expect(items.contains { $0.meta.timed?.ttl == TimeToLive.range.upperBound })
        #expect(items.allSatisfy { $0.meta.timed.map { TimeToLive.range.contains($0.ttl) } ?? true })
        let last = MessageMetadata(
            integrity: .ok, messageID: 2_000_000, receivedAt: 0, brokerID: [1], brokerTime: 0, senderMessageID: 1, pqEncryption: false)
        let body = #"{"v":"1-16","event":"x.msg.new","params":{"content":{"type":"text","text":"still here"}}}"#
        injector.inject(.message(last, MessageFlags(notification: true), Bytes(body.utf8)), connection)
        #expect(await alice.eventually { await alice.received(from: contact).last == "still here" })
        await alice.close()
        await bob.close()
    }

    // MARK: Bounds

    @Test("an item is found by how many follow it, and pages are bounded")
    func lastItems() async throws {
        let alice = try await TestWorld().core("alice")
        for number in 1...3 { _ = try await alice.run("/_create *1 json [{\"msgContent\":{\"type\":\"text\",\"text\":\"\(number)\"}}]") }
        func id(_ index: String) async throws -> ChatItemID? {
            guard case .chatItemID(_, let id) = try await alice.run("/last_item_id * \(index)") else { throw UnexpectedAnswer() }
            return id
        }
        let newest = try #require(try await id("0"))
        #expect(try await id("1") == ChatItemID(newest.rawValue - 1))
        #expect(try await id("2") == ChatItemID(newest.rawValue - 2))
        for index in ["3", "9223372036854775807", "99999999999999999999"] { #expect(try await id(index) == ChatItemID(newest.rawValue - 2)) }
        for count in ["0", "2", "3", "9223372036854775807", "18446744073709551615"] {
            let answer = await alice.answer("/_get chat *1 count=\(count)")
            #expect(answer["chat"]?["chatItems"]?.arrayValue?.count == min(3, Int(count) ?? 3))
            #expect(await alice.answer("/_get chat *1 initial=\(count)")["type"] == "apiChat")
            #expect(await alice.answer("/_get chat *1 around=\(newest) count=\(count)")["type"] == "apiChat")
        }
        await alice.close()
    }

    @Test("network settings out of their bounds are refused with what they can be, and the ends are taken")
    func network() async throws {
        let alice = try await TestWorld().core("alice")
        func answer(_ change: (inout NetworkConfig) -> Void) async -> JSONValue {
            var config = NetworkConfig.standard
            change(&config)
            return await alice.answer("/_network \(config.jsonText)")
        }
        for value in [Int64.min, -1, 864_000_000_001, .max] {
            for field: WritableKeyPath<NetworkConfig, Int64> in [
                \.tcpTimeout.interactive, \.tcpConnectTimeout.background, \.smpPingInterval, \.tcpTimeoutPerKb,
            ] {
                #expect(await answer { $0[keyPath: field] = value }.text.contains("864000000000"), "\(value)")
            }
        }
        for value in [Int.min, 0, 32_768, .max] {
            #expect(await answer { $0.tcpKeepAlive?.keepIdle = value }.text.contains("from 1 to 32767"))
            #expect(await answer { $0.tcpKeepAlive?.keepCount = value == 32_768 ? 128 : value }.text.contains("from 1 to 127"))
            #expect(await answer { $0.smpPingCount = value == 32_768 ? 10_001 : value }.text.contains("from 1 to 10000"))
        }
        #expect(
            await answer {
                ($0.tcpTimeout.interactive, $0.tcpTimeoutPerKb, $0.smpPingInterval, $0.smpPingCount) = (
                    864_000_000_000, 864_000_000_000, 864_000_000_000, 10_000
                )
                $0.tcpKeepAlive = KeepAliveOptions(keepIdle: 32_767, keepInterval: 32_767, keepCount: 127)
            }["type"] == "cmdOk")
        // They can be reckoned with.
        var options = NetworkOptions()
        for timeout in [Int64.min, 0, 86_401, .max] {
            options.timeout = timeout
            #expect((1...864_000_000_000).contains(options.applied(to: .standard).tcpConnectTimeout.background))
        }
        await alice.close()
    }

    @Test("stored times are what they were, or stand at the limits of what can be stored")
    func storedTimes() {
        for stored in [Int64.min, .min + 1, -1_000_000_001, -1, 0, 1, .max - 1, .max] { #expect(UTCTimestamp(stored: stored).stored == stored) }
        #expect(UTCTimestamp(seconds: .min).stored == .min)
        #expect(UTCTimestamp(seconds: .max).stored == .max)
        #expect(UTCTimestamp(seconds: 5).adding(seconds: .max).seconds == UTCTimestamp.range.upperBound)
        #expect(UTCTimestamp(seconds: -5).adding(seconds: .min).seconds == UTCTimestamp.range.lowerBound)
    }
}

extension FileHandle {
    /// Where each command is written before it is carried out: the last one is to blame for a crash.
    fileprivate static let trace: FileHandle? = ProcessInfo.processInfo.environment["PARLEY_NUMBERS_TRACE"].flatMap { path in
        FileManager.default.createFile(atPath: path, contents: nil) ? FileHandle(forWritingAtPath: path) : nil
    }
}
