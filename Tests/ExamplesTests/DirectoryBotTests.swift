import Foundation
import Parley
import ParleyTesting
import TestSupport
import Testing

@testable import DirectoryBot

@Suite struct DirectoryBotTests {
    private static var bot: Bot { DirectoryBot.bot(admins: ["admin"], forbiddenNames: ["Casino"]) }

    /// A directory with an admin and the owner of a group, both connected.
    private static func withDirectory(_ body: @Sendable (TestRoom, _ admin: TestPerson, _ ann: TestPerson) async throws -> Void) async throws {
        try await withBots(bot) { room in
            let admin = try await room.person("Admin", trustedAs: "admin"), ann = try await room.person("Ann")
            try await ann.expect(containing: "Welcome!")
            try await body(room, admin, ann)
        }
    }

    /// Submits a group by an invitation, confirms it, and returns its number in the directory.
    private static func submit(_ group: String, _ ann: TestPerson, _ admin: TestPerson) async throws -> Int {
        try await ann.invite("Directory", to: group, as: .admin)
        let joined = try await ann.expect(containing: "I have joined \(group)").text
        let number = try #require(joined.firstMatch(of: /\/confirm (\d+)/).flatMap { Int($0.1) })
        try await ann.say("/confirm \(number)")
        try await admin.expect(containing: "/approve \(number).1")
        try await ann.expect(containing: "admins of the directory decide")
        return number
    }

    private static func approve(_ approval: String, _ admin: TestPerson, _ ann: TestPerson) async throws {
        try await admin.say("/approve \(approval)")
        try await ann.expect(containing: "is listed now.")
        try await admin.expect(containing: "is listed.")
    }

    // MARK: The way into the directory

    @Test func aGroupIsFoundOnceItsOwnerHasConfirmedAndAnAdminApproved() async throws {
        try await Self.withDirectory { room, admin, ann in
            let ben = try await room.person("Ben")
            try await ben.expect(containing: "Welcome!")
            try await ann.makeGroup(GroupSettings("Tea", summary: "Green and black", welcome: "All about brewing"))
            let number = try await Self.submit("Tea", ann, admin)
            try await ben.say("brewing")
            try await ben.expect("I know no such group.")
            try await Self.approve("\(number).1", admin, ann)
            try await ben.say("BLACK brewing")
            let found = try await ben.expect(containing: "Tea (2 members)\nGreen and black\n")
            let link = try #require(found.text.split(separator: "\n").last)
            try await ben.join(link: String(link))
            try await ben.expectMembership(of: "Tea")
        }
    }

    @Test func whatIsListedIsSearchedAndBrowsed() async throws {
        try await Self.withDirectory { room, admin, ann in
            try await ann.makeGroup(GroupSettings("Tea", summary: "Green and black"))
            let number = try await Self.submit("Tea", ann, admin)
            try await Self.approve("\(number).1", admin, ann)
            try await room.restart()
            try await ann.say("coffee")
            try await ann.expect("I know no such group.")
            for command in ["/new", "/all", "green"] {
                try await ann.say(command)
                try await ann.expect(containing: "Tea (")
            }
            try await ann.say("/next")
            try await ann.expect("That was all.")
        }
    }

    @Test func onlyAnOwnerWhoMakesTheBotAnAdminCanSubmit() async throws {
        try await Self.withDirectory { room, admin, ann in
            try await ann.makeGroup(GroupSettings("Tea"))
            try await ann.invite("Directory", to: "Tea", as: .member)
            try await ann.expect("To list Tea, invite me as an admin.")
            let ben = try await room.person("Ben")
            try await ben.expect(containing: "Welcome!")
            try await ann.makeGroup(GroupSettings("Cake"))
            try await ben.join(link: try await ann.makeLink(to: "Cake"))
            try await ben.expectMembership(of: "Cake")
            try await ann.setRole(of: "Ben", in: "Cake", to: .admin)
            try await eventually("Ben may invite") { (try? await ben.invite("Directory", to: "Cake", as: .admin)) != nil }
            try await ben.expect("Only an owner can submit a group. I leave Cake.")
            try await ben.say("/list")
            try await ben.expect("You have submitted no group.")
        }
    }

    @Test func aGroupIsSubmittedByItsLink() async throws {
        try await Self.withDirectory { room, admin, ann in
            try await ann.makeGroup(GroupSettings("Tea"))
            let link = try await ann.makeLink(to: "Tea")
            try await ann.say("/submit \(link)")
            try await ann.expect(containing: "I join the group.")
            let joined = try await ann.expect(containing: "I have joined Tea").text
            let number = try #require(joined.firstMatch(of: /\/confirm (\d+)/).flatMap { Int($0.1) })
            try await ann.say("/confirm \(number)")
            try await ann.expect(containing: "admins of the directory decide")
            try await admin.expect(containing: "the submitter need not own it")
            try await Self.approve("\(number).1", admin, ann)
            try await ann.say("tea")
            try await ann.expect(containing: link)
            try await ann.say("/filter \(number) captcha")
            try await ann.expect(containing: "I can filter only groups whose owner")
            let ben = try await room.person("Ben")
            try await ben.expect(containing: "Welcome!")
            try await ben.say("/submit \(link)")
            try await ben.expect(containing: "I join the group.")
            try await ben.expect("Tea was submitted before.")
            try await ann.say("/submit https://example.org/nothing")
            try await ann.expect("I cannot join by this link.")
        }
    }

    @Test func onlyWhoeverSubmittedAGroupDecidesAboutIt() async throws {
        try await Self.withDirectory { room, admin, ann in
            let ben = try await room.person("Ben")
            try await ben.expect(containing: "Welcome!")
            try await ann.makeGroup(GroupSettings("Tea"))
            let number = try await Self.submit("Tea", ann, admin)
            for command in ["/delete \(number)", "/confirm \(number)", "/filter \(number) names", "/delete 99"] {
                try await ben.say(command)
                try await ben.expect(containing: "You have submitted no group")
            }
            try await ben.say("/approve \(number).1")
            try await ben.expect("Only admins of the directory can do that.")
            try await ann.say("/list")
            try await ann.expect("\(number). Tea: pending")
        }
    }

    @Test func whoeverSubmittedAGroupTakesItOut() async throws {
        try await Self.withDirectory { room, admin, ann in
            try await ann.makeGroup(GroupSettings("Tea"))
            let number = try await Self.submit("Tea", ann, admin)
            try await Self.approve("\(number).1", admin, ann)
            try await ann.say("/list")
            try await ann.expect("\(number). Tea: listed")
            try await ann.say("/delete \(number)")
            try await ann.expect("Tea is not in the directory any more.")
            try await ann.say("tea")
            try await ann.expect("I know no such group.")
        }
    }

    // MARK: The way out of it

    @Test func aChangedGroupIsNotFoundUntilItIsApprovedAgain() async throws {
        try await Self.withDirectory { room, admin, ann in
            try await ann.makeGroup(GroupSettings("Tea", summary: "Green"))
            let number = try await Self.submit("Tea", ann, admin)
            try await Self.approve("\(number).1", admin, ann)
            try await ann.update(group: "Tea") { $0.shortDescription = "Casino!" }
            try await ann.expect(containing: "Tea has changed.")
            try await admin.expect(containing: "/approve \(number).2")
            try await ann.say("tea")
            try await ann.expect("I know no such group.")
            try await admin.say("/approve \(number).1")
            try await admin.expect("Tea does not wait in that form. See /pending.")
            try await admin.say("/pending")
            try await admin.expect(containing: "Casino!")
            try await admin.expect("1 wait.")
            try await admin.say("/reject \(number) no adverts")
            try await ann.expect("Tea is not listed: no adverts")
            try await admin.expect("Tea is rejected.")
        }
    }

    @Test func aChangeThatWasMissedIsNoticedAtTheNextStart() async throws {
        try await Self.withDirectory { room, admin, ann in
            try await ann.makeGroup(GroupSettings("Tea", summary: "Green"))
            let number = try await Self.submit("Tea", ann, admin)
            try await Self.approve("\(number).1", admin, ann)
            let directory = try room.bot("Directory"), group = try #require(await directory.groups.all.first)
            // What was approved is another description, as if the process had ended before it noticed.
            try await directory.update(Listing.self, of: .chat(.group(group.id))) { $0.description.summary = "Black" }
            try await ann.say("tea")
            try await ann.expect("I know no such group.")
            try await room.restart()
            try await ann.expect(containing: "Tea has changed.")
            try await admin.expect(containing: "/approve \(number).2")
        }
    }

    @Test func aGroupThatTheBotIsRemovedFromOrNoAdminOfIsNotFound() async throws {
        try await Self.withDirectory { room, admin, ann in
            try await ann.makeGroup(GroupSettings("Tea"))
            let number = try await Self.submit("Tea", ann, admin)
            try await Self.approve("\(number).1", admin, ann)
            try await ann.setRole(of: "Directory", in: "Tea", to: .member)
            try await ann.expect(containing: "Tea is not listed any more")
            try await ann.say("tea")
            try await ann.expect("I know no such group.")
            try await ann.setRole(of: "Directory", in: "Tea", to: .admin)
            try await ann.expect(containing: "Tea waits for the admins")
            try await admin.expect(containing: "/approve \(number).2")
            try await Self.approve("\(number).2", admin, ann)
            try await ann.remove("Directory", from: "Tea")
            try await ann.expect(containing: "Tea is not listed any more")
            try await ann.say("tea")
            try await ann.expect("I know no such group.")
        }
    }

    @Test func aGroupIsSuspendedWhenItsSubmitterOwnsItNoLonger() async throws {
        try await Self.withDirectory { room, admin, ann in
            try await ann.makeGroup(GroupSettings("Tea"))
            let number = try await Self.submit("Tea", ann, admin)
            try await Self.approve("\(number).1", admin, ann)
            try await ann.leave("Tea")
            try await admin.expect(containing: "owns it no longer. It is suspended: /resume \(number)")
            try await ann.say("tea")
            try await ann.expect("I know no such group.")
        }
    }

    @Test func anAdminSuspendsAGroupAndResumesIt() async throws {
        try await Self.withDirectory { room, admin, ann in
            try await ann.makeGroup(GroupSettings("Tea"))
            let number = try await Self.submit("Tea", ann, admin)
            try await Self.approve("\(number).1", admin, ann)
            try await admin.say("/suspend \(number)")
            try await admin.expect("Tea is suspended.")
            try await ann.say("tea")
            try await ann.expect("I know no such group.")
            try await admin.say("/resume \(number)")
            try await admin.expect("Tea is resumed.")
            try await ann.say("tea")
            try await ann.expect(containing: "Tea (2 members)")
        }
    }

    // MARK: Newcomers

    /// The link of a group in the directory that asks its newcomers a question.
    private static func filteredGroup(_ ann: TestPerson, _ admin: TestPerson) async throws -> String {
        try await ann.makeGroup(GroupSettings("Tea", reviewsNewMembers: true))
        let number = try await submit("Tea", ann, admin)
        try await approve("\(number).1", admin, ann)
        try await ann.say("/filter \(number) captcha")
        try await ann.expect("New members of Tea: captcha.")
        try await ann.say("tea")
        return try #require(try await ann.expect(containing: "Tea (").text.split(separator: "\n").last.map(String.init))
    }

    @Test func aNewcomerWithAForbiddenNameIsRefused() async throws {
        try await Self.withDirectory { room, admin, ann in
            let link = try await Self.filteredGroup(ann, admin), spammer = try await room.stranger("casino 24")
            try await spammer.join(link: link)
            try await spammer.expectRemoval(from: "Tea")
        }
    }

    @Test func aNewcomerWhoseAnswersAreWrongIsRefused() async throws {
        try await Self.withDirectory { room, admin, ann in
            let link = try await Self.filteredGroup(ann, admin), cath = try await room.stranger("Cath")
            try await cath.join(link: link)
            for question in 1...3 { try await cath.answerQuestion(question, right: false) }
            try await cath.expectRemoval(from: "Tea")
        }
    }

    @Test func aNewcomerWhoAnswersTheQuestionIsLetInAlsoAfterARestart() async throws {
        try await Self.withDirectory { room, admin, ann in
            let link = try await Self.filteredGroup(ann, admin), ben = try await room.stranger("Ben")
            try await ben.join(link: link)
            try await room.restart()
            try await ben.answerQuestion(1, right: true)
            try await ben.expectMembership(of: "Tea")
        }
    }

    @Test func aNewcomerWhoDoesNotAnswerIsRemovedInTheEnd() async throws {
        try await Self.withDirectory { room, admin, ann in
            let link = try await Self.filteredGroup(ann, admin), dan = try await room.stranger("Dan")
            try await dan.join(link: link)
            _ = try await dan.expectMessages(1, fromModeratorsOf: "Tea")
            try await room.advance(by: .seconds(3_600))
            try await dan.expectRemoval(from: "Tea")
        }
    }

    // MARK: Values

    @Test func aListingIsShownOnlyInTheFormThatWasApproved() {
        var listing = Listing(), facts = GroupFacts(description: GroupDescription(name: "Tea"), members: 2, isMember: true, isAdmin: true)
        #expect(listing.review(facts) == nil && !listing.isShown(facts))
        listing.submit(by: "@1", isByOwner: true, link: "https://example.org/g#1", facts)
        #expect(listing.approve(1, at: .now) == false, "the submitter has not confirmed it")
        #expect(listing.confirm() == true)
        #expect(listing.confirm() == false)
        #expect(listing.approve(2, at: .now) == false)
        #expect(listing.approve(1, at: .now) == true)
        #expect(listing.isShown(facts))
        facts.description.image = "data:image/jpg;base64,AA=="
        #expect(!listing.isShown(facts), "shown before the change was noticed")
        #expect(listing.review(facts) == .edited)
        #expect(listing.revision == 2 && listing.status == .pending)
        facts.isAdmin = false
        #expect(listing.review(facts) == .unavailable)
        #expect(listing.review(facts) == nil)
        facts.isAdmin = true
        #expect(listing.review(facts) == .available)
        #expect(listing.revision == 3 && listing.status == .pending)
    }

    @Test func aSearchShowsPagesOfGroupsWithAllOfItsWords() {
        let entries = (1...25).map { number in
            var listing = Listing()
            listing.description = GroupDescription(name: "Group \(number)", summary: number.isMultiple(of: 2) ? "Café" : "Tea")
            listing.listedAt = Date(timeIntervalSince1970: Double(100 - number))
            return Entry(listing: listing, members: Int64(number))
        }
        var search = Search("CAFE group")
        let first = search.next(entries)
        #expect(first.hasPrefix("Group 24 (24 members)\nCafé\n\nGroup 22") && first.hasSuffix("2 more: /next"))
        #expect(search.next(entries) == "Group 4 (4 members)\nCafé\n\nGroup 2 (2 members)\nCafé")
        #expect(search.next(entries) == "That was all.")
        var newest = Search("", isNewestFirst: true)
        #expect(newest.next(entries).hasPrefix("Group 1 (1 member)"))
        var none = Search("coffee")
        #expect(none.next(entries) == "I know no such group.")
    }

    @Test func anApprovalNamesAGroupAndARevision() {
        #expect(Approval("3.12").map { [$0.number, $0.revision] } == [3, 12])
        for text in ["3", "3.", ".1", "3.1.2", "a.b", "99999999999999999999.1"] { #expect(Approval(text) == nil, "\(text)") }
    }

    @Test func submissionsAreBounded() {
        var submissions = Submissions()
        for number in 1...Submissions.limit { #expect(submissions.note(Submissions.Submission(submitter: "@\(number)"), as: "#\(number)") == true) }
        #expect(submissions.note(Submissions.Submission(submitter: "@1", link: "a"), as: "a", "b") == false)
        submissions.remove(Submissions.Submission(submitter: "@1"))
        #expect(submissions.note(Submissions.Submission(submitter: "@1", link: "a"), as: "a", "b") == true)
        #expect(submissions.submissions["b"]?.link == "a" && submissions.submissions["#1"] == nil)
    }
}

extension TestPerson {
    /// Answers the question of a captcha that the moderators of the group "Tea" have sent.
    fileprivate func answerQuestion(_ number: Int, right: Bool) async throws {
        let words = [
            "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen",
            "seventeen", "eighteen", "nineteen",
        ]
        let text = try await expectMessages(number, fromModeratorsOf: "Tea").text
        let question = try #require(text.firstMatch(of: /how much is (\w+) plus (\d+)\?/))
        let left = try #require(words.firstIndex(of: String(question.1))) + 2, right_ = try #require(Int(question.2))
        try await say("\(left + right_ + (right ? 0 : 1))", toModeratorsOf: "Tea")
    }
}
