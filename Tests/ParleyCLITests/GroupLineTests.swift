import ChatAPI
import ChatProtocol
import Testing

@testable import ParleyCLI

@Suite struct GroupLineTests {
    @Test func linesAboutGroupsNameMembersAndRoles() throws {
        #expect(try ChatLine(":group team") == .group(.open("team")))
        #expect(try ChatLine(":group #team") == .group(.open("team")))
        #expect(try ChatLine(":join") == .group(.join(nil)))
        #expect(try ChatLine(":join the team") == .group(.join("the team")))
        #expect(try ChatLine(":join https://example.org/g#x") == .group(.join("https://example.org/g#x")))
        #expect(try ChatLine(":add Ann Lee") == .group(.add("Ann Lee", .member)))
        #expect(try ChatLine(":add @Ann Lee Admin") == .group(.add("Ann Lee", .admin)))
        #expect(try ChatLine(":members") == .group(.members))
        #expect(try ChatLine(":role Ann Lee  moderator") == .group(.role("Ann Lee", .moderator)))
        #expect(try ChatLine(":remove Ann Lee") == .group(.remove("Ann Lee", withMessages: false)))
        #expect(try ChatLine(":remove Ann Lee messages") == .group(.remove("Ann Lee", withMessages: true)))
        #expect(try ChatLine(":remove messages") == .group(.remove("messages", withMessages: false)), "a name")
        #expect(try ChatLine(":block @ann") == .group(.block("ann", true)))
        #expect(try ChatLine(":unblock ann") == .group(.block("ann", false)))
        #expect(try ChatLine(":moderate") == .group(.moderate(item: nil)))
        #expect(try ChatLine(":moderate #7") == .group(.moderate(item: 7)))
        #expect(try ChatLine(":link") == .group(.link(nil)))
        #expect(try ChatLine(":link observer") == .group(.link(.observer)))
        #expect(try ChatLine(":unlink") == .group(.unlink))
        #expect(try ChatLine(":review off") == .group(.review(false)))
        #expect(try ChatLine(":support") == .group(.support(nil)))
        #expect(try ChatLine(":support Ann Lee") == .group(.support("Ann Lee")))
        #expect(try ChatLine(":comment well said") == .group(.comment("well said", post: nil)))
        #expect(try ChatLine(":comment #12 well said") == .group(.comment("well said", post: 12)))
        #expect(try ChatLine(":comments") == .group(.comments(post: nil)))
        #expect(try ChatLine(":comments #12") == .group(.comments(post: 12)))
        #expect(try ChatLine(":leave") == .group(.leave))
        #expect(try ChatLine(":accept Ann observer") == .accept("Ann observer"), "whose role it is, the session finds")
        let both = GroupLine.nameAndRole("Ann observer"), name = GroupLine.nameAndRole("observer")
        #expect(both.name == "Ann" && both.role == .observer)
        #expect(name.name == "observer" && name.role == nil)
    }

    @Test(arguments: [
        ":group", ":add", ":role", ":role Ann", ":role Ann king", ":role admin", ":remove", ":block", ":unblock", ":moderate this", ":link king", ":review",
        ":comment", ":comment #12", ":comment #x y", ":comments all",
    ])
    func aLineThatIsWrongIsAnsweredWithAReason(_ text: String) throws {
        let fault = try #require(throws: ChatLine.Fault.self) { try ChatLine(text) }
        #expect(!fault.message.isEmpty)
    }

    @Test func everyWordIsExplained() {
        for word in ChatLine.words { #expect(ChatLine.usage.contains(":\(word)"), "\(word)") }
    }
}
