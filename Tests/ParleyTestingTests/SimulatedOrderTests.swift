import Foundation
import Parley
import Testing

@testable import ParleyTesting

/// Tells what the chat was.
private func historian() -> Bot {
    var bot = Bot("Historian", address: .automatic(welcome: nil)) {
        On(.text("history"), in: .all) { message in try await message.send(try await message.history(4).map(\.text).joined(separator: ", ")) }
        On(.text, in: .all) { message in try await message.send("re \(message.text)") }
    }
    bot.groups = [ManagedGroup("lobby", GroupSettings("Lobby"), linkRole: .member)]
    return bot
}

@Suite struct SimulatedOrderTests {
    @Test(arguments: [nil, "Lobby"]) func whatIsSentAndReceivedWhileTheTimeStandsStillIsInItsOrder(in chat: String?) async throws {
        try await withBots(historian(), depth: .chat) { room in
            let ann = try await room.person("Ann")
            if chat != nil { try await ann.join(group: "lobby") }
            for text in ["1", "2", "3"] {
                try await ann.say(text, in: chat)
                try await ann.expect("re \(text)", in: chat)
            }
            try await ann.say("history", in: chat)
            try await ann.expect("2, re 2, 3, re 3", in: chat)
            #expect(try await ann.conversation(in: chat).suffix(4).map(\.text) == ["3", "re 3", "history", "2, re 2, 3, re 3"])
        }
    }

    @Test func momentsAreMillisecondsAndNeverGoBack() {
        let start = Date(timeIntervalSince1970: 1_767_225_600), time = TestTime(start)
        var moments: [Int64] = []
        func take(_ count: Int) { for _ in 1...count { moments.append(Int64((time.nextMoment().timeIntervalSince1970 * 1_000_000).rounded())) } }
        take(2_000)
        // Less than the moments are ahead.
        time.move(to: start.addingTimeInterval(1))
        take(2)
        time.move(to: start.addingTimeInterval(60))
        take(2)
        #expect(zip(moments, moments.dropFirst()).allSatisfy { $1 - $0 >= 1_000 })
        #expect(moments.allSatisfy { $0 % 1_000 == 0 })
        #expect(moments.suffix(2).map { $0 - 1_767_225_600_000_000 } == [60_000_000, 60_001_000])
        time.move(to: start)
        #expect(time.now == start.addingTimeInterval(60))
    }
}
