import ChatAPI
import ChatProtocol
import Foundation
import Parley
import ProcessSupport
import SystemSupport
import TestSupport
import Testing

/// The bot, with the router inside it, ends at every named place of the code, and is started again to end at the next.
///
/// The default run takes some of the places; `PARLEY_FAIL_POINTS=all` takes all, and so many rounds of them as `PARLEY_ROUNDS` says.
/// `PARLEY_SEED` repeats the order and the counts of a run.
@Suite struct FailPointTests {
    /// Where a bot passes that only answers.
    private static let answering: [FailPoint] = [
        .folderMarked, .databaseCommit, .databaseCommitted, .databaseMigrate, .databaseMigrated, .agentStored, .agentSend, .agentSent, .agentAcknowledge,
        .agentAcknowledged, .chatStored, .chatAnnounced, .botHandled, .routerExecuted, .routerAnswer, .journalWrite, .journalWritten,
        .journalSynchronize, .journalSynchronized,
    ]
    /// Where one passes to which somebody connects.
    private static let connecting: [FailPoint] = [
        .agentQueueMade, .agentStored, .agentSend, .agentSent, .chatStored, .chatAnnounced, .databaseCommitted, .routerExecuted,
        .routerAnswer, .journalWrite, .journalSynchronized,
    ]
    private static let ofDatabases: Set<FailPoint> = [.databaseMigrate, .databaseMigrated, .databaseCommit, .databaseCommitted]
    /// Where one passes that makes its databases, its profile and its address.
    private static let beginning: [FailPoint] = [
        .folderProposed, .folderMarked, .folderRaised, .databaseMigrate, .databaseMigrated, .databaseCommit, .databaseCommitted, .agentQueueMade,
        .agentStored, .routerExecuted, .routerAnswer, .journalWrite, .journalWritten, .journalSynchronize, .journalSynchronized,
    ]

    /// The ends of a run and its plan, which is printed.
    private static func ends(_ points: [FailPoint], few: Int, counts: ClosedRange<Int>) -> (ends: [(point: FailPoint, count: Int)], plan: KillPlan) {
        let seed = PlanSettings.seed()
        var random = SplitMix64(seed: seed)
        let isAll = PlanSettings.text("PARLEY_FAIL_POINTS") == "all"
        let rounds = PlanSettings.number("PARLEY_ROUNDS") ?? 1
        let ends = (0..<rounds).flatMap { _ in
            points.shuffled(using: &random).prefix(isAll ? .max : few).map { (point: $0, count: Int.random(in: counts, using: &random)) }
        }
        print("PARLEY_SEED=\(seed): \(ends.map { "\($0.point.rawValue):\($0.count)" }.joined(separator: " "))")
        return (ends, KillPlan(seed: seed, messages: 0, kills: 0))
    }

    @Test(.timeLimit(.minutes(30))) func everythingArrivesOnceAndInOrderWhereverTheProcessEnds() async throws {
        // Every end comes to what is passed once in a start.
        let (ends, plan) = Self.ends(Self.answering, few: 5, counts: 1...3)
        try await KillPlan.carryOut([plan], "fail-points", .routerInside) { plan, deployment in
            let sender = try await deployment.open("sender")
            let exchange = try await Exchange(core: sender.core, to: deployment.botAddress)
            let isDone = try await exchange.conduct(.max, sender.core.events()) {
                for end in ends { try await deployment.endBot(at: end.point, count: end.count) }
            }
            #expect(isDone, "\(plan): no answer for a minute, or no events any more")
            try await verify(exchange, sentFrom: sender, on: deployment, plan)
            print("\(await exchange.accepted.count) messages, \(ends.count) ends")
        }
    }

    @Test(.timeLimit(.minutes(30))) func whoConnectsIsConnectedWhereverTheProcessEnds() async throws {
        let (ends, plan) = Self.ends(Self.connecting, few: 3, counts: 1...1)
        try await KillPlan.carryOut([plan], "fail-points", .routerInside) { plan, deployment in
            var names: [String] = []
            for (index, end) in ends.enumerated() {
                let person = try await Person("person\(index)", on: deployment)
                try await deployment.startBot(endingAt: end.point, count: end.count)
                async let ended: Void = deployment.replaceEndedBot()
                try await person.connect(on: deployment)
                try await ended
                let question = "question of \(person.name)"
                #expect(try await person.ask(question) == Deployment.answer(to: question), "\(plan): \(end.point.rawValue)")
                names.append(person.name)
                await person.close()
            }
            let exitCodes = try await deployment.stop()
            #expect(exitCodes.allSatisfy { $0 == 0 }, "\(plan): \(exitCodes)")
            try await expectOneContactEach(names, deployment)
        }
    }

    @Test(.timeLimit(.minutes(30))) func aBotWhoseFirstStartEndsAnywhereComesUpWithOneAddress() async throws {
        let (ends, plan) = Self.ends(Self.beginning, few: 3, counts: 1...2)
        for var end in ends {
            // There are two databases and one queue; what becomes of that may come in one write.
            if !Self.ofDatabases.contains(end.point) { end.count = 1 }
            let folder = try ScratchFolder("parley-first-start")
            defer { folder.remove() }
            let deployment = try await Deployment(.routerInside, in: folder, endingAt: [end])
            let person = try await Person("person", on: deployment)
            try await person.connect(on: deployment)
            #expect(try await person.ask("hello") == Deployment.answer(to: "hello"), "\(plan): \(end.point.rawValue)")
            await person.close()
            let exitCodes = try await deployment.stop()
            #expect(exitCodes.allSatisfy { $0 == 0 }, "\(plan): \(exitCodes)")
            try await expectOneContactEach(["person"], asking: { _ in "hello" }, deployment)
        }
    }

    @Test(.timeLimit(.minutes(30)), arguments: [FailPoint.keyCopied, .keyDecided, .keyReplaced], 1...3)
    func aChangeOfKeyThatEndsAnywhereIsDoneOrNotDone(_ point: FailPoint, _ count: Int) async throws {
        guard point != .keyDecided || count == 1 else { return }
        let folder = try ScratchFolder("parley-key")
        defer { folder.remove() }
        let host = try await CoreHost.open(HostConfiguration(dataFolder: folder("data"), servers: [Self.somewhere]))
        let profile = NewUser(profile: Profile(displayName: "alice", fullName: ""), pastTimestamp: false, isChatRelay: false)
        _ = try await host.core.send(.users(.create(profile)), as: nil)
        await host.close()
        try folder.write(Self.newKey, to: "key")
        let change = try ParleyProgram.start(
            ["db", "key", "--data", folder("data"), "--new-key-file", folder("key")],
            environment: [FailPoint.variable: "\(point.rawValue):\(count)"], log: folder("key.log"))
        let exitCode = try await change.exit(within: Patience.limit + .seconds(30))
        // There are two databases, or three.
        guard exitCode == ProcessSignal.kill.exitStatus else {
            #expect(count == 3 && exitCode == 0, "\(exitCode)")
            return
        }
        var configuration = HostConfiguration(dataFolder: folder("data"), servers: [Self.somewhere])
        configuration.databaseKey = point == .keyCopied ? nil : .file(folder("key"))
        let again = try await CoreHost.open(configuration)
        guard case .usersList(let users) = try await again.core.send(.users(.list), as: nil) else { throw RunFault("no list of profiles") }
        #expect(users.map(\.user.profile.displayName) == ["alice"])
        await again.close()
    }

    @Test(.timeLimit(.minutes(30)), arguments: [FailPoint.backupCopied, .backupFilled, .restoreCopied, .restoreDecided, .restoreMoved], [1, 2, 4])
    func aBackupOrARestoreThatEndsAnywhereIsDoneOrNotDone(_ point: FailPoint, _ count: Int) async throws {
        guard point == .restoreMoved || point == .backupCopied && count < 3 || count == 1 else { return }
        let folder = try ScratchFolder("parley-restore")
        defer { folder.remove() }
        func names() async throws -> [String] {
            let host = try await CoreHost.open(HostConfiguration(dataFolder: folder("data"), servers: [Self.somewhere]))
            guard case .usersList(let users) = try await host.core.send(.users(.list), as: nil) else { throw RunFault("no list of profiles") }
            await host.close()
            return users.map(\.user.profile.displayName).sorted()
        }
        func add(_ name: String) async throws {
            let host = try await CoreHost.open(HostConfiguration(dataFolder: folder("data"), servers: [Self.somewhere]))
            let profile = NewUser(profile: Profile(displayName: name, fullName: ""), pastTimestamp: false, isChatRelay: false)
            _ = try await host.core.send(.users(.create(profile)), as: nil)
            await host.close()
        }
        func parley(_ arguments: [String], endingAt end: (FailPoint, Int)? = nil) async throws -> Int32 {
            let environment = end.map { [FailPoint.variable: "\($0.0.rawValue):\($0.1)"] } ?? [:]
            let process = try ParleyProgram.start(arguments + ["--data", folder("data")], environment: environment, log: folder("log"))
            return try await process.exit(within: Patience.limit + .seconds(30))
        }
        func backups() throws -> [String] {
            guard FileManager.default.fileExists(atPath: folder("copies")) else { return [] }
            return try FileManager.default.contentsOfDirectory(atPath: folder("copies")).filter { !$0.hasSuffix(".partial") }
        }
        try await add("alice")
        let backup = ["db", "backup", "--to", folder("copies")]
        if point == .backupCopied || point == .backupFilled {
            #expect(try await parley(backup, endingAt: (point, count)) == ProcessSignal.kill.exitStatus)
            #expect(try backups().isEmpty)
        }
        #expect(try await parley(backup) == 0)
        let copy = folder("copies/" + (try #require(backups().first)))
        try await add("bob")
        let restore = ["db", "restore", copy, "--replace"]
        if point == .restoreCopied || point == .restoreDecided || point == .restoreMoved {
            #expect(try await parley(restore, endingAt: (point, count)) == ProcessSignal.kill.exitStatus)
            #expect(try await names() == (point == .restoreCopied ? ["alice", "bob"] : ["alice"]))
        }
        if point == .restoreCopied || point == .backupCopied || point == .backupFilled { #expect(try await parley(restore) == 0) }
        #expect(try await names() == ["alice"])
    }

    private static let newKey = String(repeating: "0123456789abcdef", count: 4)
    /// A router that is not asked for anything.
    private static let somewhere = "smp://AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=@127.0.0.1:1"
}
