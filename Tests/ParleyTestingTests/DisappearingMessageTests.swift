import ChatAPI
import ChatProtocol
import Parley
import ParleyTesting
import Testing

/// Says things that disappear after an hour, and counts those that are left.
private func burner() -> Bot {
    Bot("Burner", address: .automatic(welcome: nil)) {
        On(.text("secret")) { message in
            guard let chat = message.chat.reference, let target = SendTarget(chat) else { return }
            _ = try await message.client.execute(.messages(.send(to: target, [ComposedMessage(content: .text("burn"))], ttl: 3_600)))
        }
        On(.text("count")) { message in try await message.send("\(try await left(in: message.chat))") }
        On(.command("check", .duration("when"))) { try await $0.schedule("check", after: $0.arguments) }
        On(.scheduled("check")) { timer in
            guard let chat = timer.chat else { return }
            try await timer.send("\(try await left(in: chat))")
        }
    }
}

private func left(in chat: BotChat) async throws -> Int { try await chat.history().filter { $0.text == "burn" }.count }

@Suite struct DisappearingMessageTests {
    /// Has the bot say something that disappears, and then goes on.
    private func afterSecret(_ body: @Sendable (TestRoom, TestPerson) async throws -> Void) async throws {
        try await withBots(burner(), depth: .chat) { room in
            let ann = try await room.person("Ann")
            try await ann.say("secret")
            try await ann.expect("burn")
            try await body(room, ann)
        }
    }

    @Test func messagesDisappearWhenTheTestMovesTheTimeSoFar() async throws {
        try await afterSecret { room, ann in
            for (seconds, count) in [(3_599, "1"), (1, "0")] {
                try await room.advance(by: .seconds(seconds))
                try await ann.say("count")
                try await ann.expect(count)
            }
        }
    }

    @Test func messagesDisappearWhileTheProgramDoesNotRun() async throws {
        try await afterSecret { room, ann in
            try await room.restart(after: .seconds(86_400))
            try await ann.say("count")
            try await ann.expect("0")
        }
    }

    @Test func aTimerFindsWhatHasNotDisappearedByItsTime() async throws {
        try await afterSecret { room, ann in
            for when in ["59m", "61m"] { try await ann.say("/check \(when)") }
            try await room.advance(by: .seconds(86_400))
            try await ann.expect("1")
            try await ann.expect("0")
        }
    }
}
