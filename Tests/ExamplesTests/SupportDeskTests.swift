import Parley
import ParleyTesting
import Testing

@testable import SupportDesk

@Suite struct SupportDeskTests {
    @Test func customersAndColleaguesMeet() async throws {
        let always = DeskPolicy(hours: try #require(OpeningHours("1-7 00:00-24:00")))
        try await withBots(SupportDesk.bot(always)) { room in
            let clara = try await room.stranger("Clara"), carl = try await room.stranger("Carl")
            try await clara.join(link: try await room.bot("Support Desk").chats.makeInvitation())
            try await clara.expect(containing: "You are a colleague now", in: "Support Desk")
            try await carl.request("Support Desk")
            try await carl.expect("Welcome! One moment, please.")
            try await carl.expect("Hello Carl! A colleague will be with you soon. What is it about?")
            try await clara.acceptInvitation(to: "Carl")
            try await clara.expectMembership(of: "Carl")
            try await clara.expect("Welcome! One moment, please.", in: "Carl")
            try await clara.expect(containing: "Hello Carl!", in: "Carl")
            try await carl.say("It is broken.")
            try await clara.expect("It is broken.", in: "Carl")
            try await clara.say("I repair it.", in: "Carl")
            try await carl.expect("I repair it.")
            try await carl.say("/hours")
            try await carl.expect("We are here Monday to Sunday, 0:00 to 24:00.")
        }
    }

    @Test func hoursAreReadAndCompared() throws {
        let hours = try #require(OpeningHours("1-5 09:00-17:30"))
        #expect(hours.isOpen(day: 1, minute: 540) && hours.isOpen(day: 5, minute: 1049))
        #expect(!hours.isOpen(day: 1, minute: 539) && !hours.isOpen(day: 5, minute: 1050) && !hours.isOpen(day: 6, minute: 600))
        #expect(hours.text == "Monday to Friday, 9:00 to 17:30")
    }

    @Test(arguments: ["", "1-5", "5-1 09:00-17:00", "0-5 09:00-17:00", "1-5 17:00-09:00", "1-5 09-17", "1-8 09:00-17:00", "1-5 09:60-17:00", "1-5 09:00-24:30"])
    func badHoursAreRefused(_ text: String) { #expect(OpeningHours(text) == nil) }

    @Test func theGreetingDependsOnTheHoursAndOnWhoIsThere() throws {
        let policy = DeskPolicy(hours: try #require(OpeningHours("1-5 09:00-17:00")))
        #expect(policy.greeting(of: "ann", day: 7, minute: 600, colleagues: 2).contains("closed"))
        #expect(policy.greeting(of: "ann", day: 2, minute: 600, colleagues: 2).contains("A colleague"))
        #expect(policy.greeting(of: "ann", day: 2, minute: 600, colleagues: 0).contains("Nobody"))
    }
}
