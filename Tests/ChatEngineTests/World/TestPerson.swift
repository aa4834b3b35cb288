import ChatAPI
import ChatProtocol
import ChatRules
import ChatSimulation
import Foundation
import SMPAgent
import SMPSimulation
import Synchronization
import TestSupport
import Testing

@testable import ChatEngine

/// Somebody whose core can be killed at any moment, and opened again on the same folder.
final class TestPerson: Sendable {
    let name: String
    let crash = CrashPoint()
    private let world: TestWorld
    private let folder: TemporaryFolder
    private let agent: AgentConfiguration
    private let current = Mutex<TestCore?>(nil)
    private let time = Mutex<Int64>(0)

    /// The transfer of files, which goes on after a restart; nil for none.
    let files: SimulatedFileService?

    init(
        _ name: String, _ world: TestWorld, agent: AgentConfiguration = .light, isChatRelay: Bool = false, files: SimulatedFileService? = nil
    ) async throws {
        self.name = name
        self.files = files
        self.world = world
        self.agent = agent
        folder = try TemporaryFolder()
        if files != nil { try FileManager.default.createDirectory(atPath: folder.path + "/files", withIntermediateDirectories: true) }
        _ = try await restart().createUser(name, isChatRelay: isChatRelay)
    }

    var core: TestCore { current.withLock { $0! } }

    /// The folder's databases without their endings.
    var prefix: String { folder.path + "/core" }

    /// The folder for files.
    var filesFolder: String { folder.path + "/files" }

    /// Moves the clock on.
    func pass(seconds: Int64) { time.withLock { $0 += seconds } }

    /// The process ends in the middle of whatever it does.
    func kill() async {
        crash.crash()
        core.network.sever()
        await core.close()
    }

    /// A new process on the same folder.
    @discardableResult
    func restart() async throws -> TestCore {
        crash.recover()
        let core = try await world.open(
            prefix: prefix, crash: crash, agent: agent,
            now: { [self] in UTCTimestamp.current().adding(seconds: time.withLock { $0 }) }, files: files,
            configure: { [self] configuration in
                guard files != nil else { return }
                configuration.filesFolder = filesFolder
                configuration.fileServers = [SimulatedFileStorage.address]
            })
        current.withLock { $0 = core }
        return core
    }

    /// Ends the process after so many steps, and begins another when that has happened; see ``CrashPoint/settle(_:)``.
    func killAndRestart(afterSteps steps: Int) -> Task<Void, any Error> {
        crash.restart(afterSteps: steps) { [self] in
            await kill()
            try await restart()
        }
    }

    /// Does something as a person would: again if the process ended meanwhile.
    func persistently<Value>(_ restarting: Task<Void, any Error>, _ body: (TestCore) async throws -> Value) async throws -> Value {
        try await crash.outliving(restarting) { try await body(core) }
    }

    /// Connects two people.
    ///
    /// - Returns: what the first and the second know each other as.
    static func connect(_ one: TestPerson, _ two: TestPerson) async throws -> (ContactID, ContactID) {
        try await TestWorld.connect(one.core, two.core)
    }

    /// Waits until a condition is true, over restarts.
    func eventually(_ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: @escaping @Sendable (TestCore) async -> Bool) async {
        _ = try? await eventual(what, sourceLocation: sourceLocation) { await condition($0) ? true : nil }
    }

    /// Waits until there is a value, over restarts.
    func eventual<Value: Sendable>(
        _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ value: @escaping @Sendable (TestCore) async -> Value?
    ) async throws -> Value {
        let deadline = ContinuousClock.now + .seconds(120)
        let found = Mutex<Value?>(nil)
        while ContinuousClock.now < deadline {
            let core = core
            let isThere = await core.eventually(.seconds(1)) {
                let value = await value(core)
                found.withLock { $0 = value }
                return value != nil
            }
            if isThere, let value = found.withLock({ $0 }) { return value }
        }
        Issue.record("\(name) did not come to that in time: \(what)", sourceLocation: sourceLocation)
        throw UnexpectedAnswer()
    }
}
