import Testing

@testable import SupportDesk

@Suite struct SupportDeskTests {
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
