import Parley
import ParleyTesting
import Testing

@testable import BridgeBot
@testable import BroadcastBot
@testable import ReminderBot
@testable import SurveyBot

@Suite struct SurveyBotTests {
    @Test func threeAnswersAreKeptAndCanBeDeleted() async throws {
        try await withBots(SurveyBot.bot) { room in
            let ann = try await room.person("Ann")
            try await ann.expect(containing: "Hello!")
            try await ann.say("/survey")
            try await ann.expect(containing: "How often")
            try await ann.say("often")
            try await ann.expect("A number from 0 to 31, please.")
            try await ann.say("4")
            try await ann.expect(containing: "from 1 to 5")
            try await room.restart()
            try await ann.say("5")
            try await ann.expect(containing: "better")
            try await ann.say("More tea")
            try await ann.expect("Thank you!")
            try await ann.say("/results")
            try await ann.expect("1 answered. Mean grade: 5.0. Mean days a month: 4.0.")
            try await ann.say("/forget")
            try await ann.expect("Your answers are deleted.")
            try await ann.say("/results")
            try await ann.expect("Nobody has answered yet.")
            try await ann.say("/survey")
            try await ann.expect(containing: "How often")
            try await room.advance(by: .seconds(86_400))
            try await ann.expect(containing: "I stop waiting")
        }
    }
}

@Suite struct ReminderBotTests {
    @Test func aReminderComesInTimeAlsoAfterARestart() async throws {
        try await withBots(ReminderBot.bot) { room in
            let ann = try await room.person("Ann")
            try await ann.expect(containing: "Hello!")
            for text in ["/remind 2h tea", "/remind 1d cake", "/remind 3h never"] { try await ann.say(text) }
            for number in 1...3 { try await ann.expect("Reminder \(number) is set.") }
            try await ann.say("/cancel 3")
            try await ann.expect("Reminder 3 is cancelled.")
            try await ann.say("/list")
            try await ann.expect("1. tea\n2. cake")
            try await room.advance(by: .seconds(7200))
            try await ann.expect("⏰ tea")
            try await room.restart(after: .seconds(2 * 86_400))
            try await ann.expect("⏰ cake")
            try await ann.say("/remind soon tea")
            try await ann.expect("\"soon\" is not a time like 10m, 2h or 1d\nUsage: /remind <when> <what …>")
            try await ann.say("/list")
            try await ann.expect("You have no reminders.")
        }
    }
}

@Suite struct BroadcastBotTests {
    @Test func subscribersGetWhatPublishersWrite() async throws {
        try await withBots(BroadcastBot.bot(publishers: ["ann"])) { room in
            let ann = try await room.person("Ann", trustedAs: "ann"), ben = try await room.person("Ben"), cath = try await room.person("Cath")
            for person in [ben, cath] { try await person.expect(containing: "Hello!") }
            for person in [ben, cath] {
                try await person.say("/subscribe")
                try await person.expect("You will get the news.")
            }
            // The name of a publisher makes nobody one.
            let impostor = try await room.person("ann")
            try await impostor.expect(containing: "Hello!")
            try await impostor.say("Buy my coins.")
            try await impostor.expect(containing: "/subscribe")
            try await cath.say("/unsubscribe")
            try await cath.expect("You will get no more news.")
            try await ann.say("It snows.")
            try await ann.expect("On its way to 1.")
            try await ben.expect("It snows.")
            try await ben.say("I publish, too.")
            try await ben.expect(containing: "/subscribe")
            try await cath.expectNothing()
        }
    }
}

@Suite struct BridgeBotTests {
    @Test func whatIsSaidOnOneSideIsRepeatedOnTheOther() async throws {
        try await withBots(BridgeBot.bots) { room in
            let ann = try await room.stranger("Ann"), ben = try await room.stranger("Ben")
            try await ann.join(group: "north")
            try await ben.join(group: "south")
            try await ann.say("hello", in: "North side")
            try await ben.expect("Ann: hello", in: "South side")
            try await ben.say("good day", in: "South side")
            try await ann.expect("Ben: good day", in: "North side")
            try await ben.expectNothing(in: "South side")
        }
    }
}
