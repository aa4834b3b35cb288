import Parley
import Synchronization
import Testing

@testable import ParleyTesting

/// The end of the wait for bots that answer each other.
@Suite(.timeLimit(.minutes(5))) struct SettlingTests {
    private final class Log: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    /// Answers a number with the one before it, after some reading: between two messages nothing is on its way for a while.
    private static func counter(_ name: String, _ log: Log) -> Bot {
        Bot(name, id: name, address: .automatic(welcome: nil)) {
            On(.text) { message in
                guard let number = Int(message.text) else { return }
                for _ in 1...4 { _ = try await message.history(1) }
                log.numbers.withLock { $0.append(number) }
                if number > 0 { try await message.send("\(number - 1)") }
            }
        }
    }

    /// At each hop the handler of one bot runs when that of the other has ended.
    @Test(arguments: [TestDepth.chat, .engine]) func theLastOfALongChainOfAnswersIsThere(_ depth: TestDepth) async throws {
        let log = Log()
        try await withBots(Self.counter("Ping", log), Self.counter("Pong", log), depth: depth) { room in
            let ping = try room.bot("Ping"), address = try #require(room.profiles.last?.address)
            try await ping.groups.join(link: address)
            try await room.settle()
            let pong = try #require(await ping.chat(named: "Pong"))
            try await pong.send("6")
            try await room.settle()
            #expect(log.numbers.withLock(\.self) == Array((0...6).reversed()))
        }
    }

    /// Each timer schedules the next at once.
    @Test func theLastOfTimersThatFollowEachOtherHasRun() async throws {
        let log = Log()
        let bot = Bot("Clock", address: .automatic(welcome: nil)) {
            On(.scheduled("tick", Int.self)) { tick in
                log.numbers.withLock { $0.append(tick.value) }
                if tick.value > 0 { try await tick.client.schedule("tick", at: tick.client.now, tick.value - 1) }
            }
        }
        try await withBots(bot, depth: .chat) { room in
            let client = try room.bot("Clock")
            try await client.schedule("tick", at: client.now, 5)
            try await room.settle()
            #expect(log.numbers.withLock(\.self) == Array((0...5).reversed()))
        }
    }
}
