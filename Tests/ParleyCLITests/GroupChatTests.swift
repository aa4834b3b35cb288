import Foundation
import ProcessSupport
import Testing

/// People in groups, each with a `parley chat` of their own.
@Suite struct GroupChatTests {
    @Test func peopleMakeAGroupInviteWriteMentionAndModerate() async throws {
        let folder = try ScratchFolder("group")
        defer { folder.remove() }
        let router = try ParleyProgram.start(["server", "smp", "start", "--port", "0", "--json", "--data", folder("router")], log: folder("log"))
        let address = try #require(try await router.ready().address)
        let ann = try person("Ann", address, folder), bob = try person("Bob", address, folder), cath = try person("Cath", address, folder)

        // A contact is invited, a stranger comes by the link.
        try ann.type(":invite")
        try bob.type(":connect \(try await ann.link())")
        try await ann.said(#""event":"connected""#, #""chat":"Bob""#)
        try ann.type(":group team")
        try await ann.said("You have made #team.")
        try ann.type(":add bob moderator")
        try await bob.said(#""event":"invitation""#, #""chat":"team""#, #""from":"Ann""#, #""role":"moderator""#)
        try bob.type(":list")
        try await bob.said(#""event":"chat""#, #""name":"team""#, #""status":"invited""#)
        try bob.type(":join")
        try await bob.said(#""event":"joined""#, #""chat":"team""#, #""pending":false"#)
        try await ann.said(#""event":"groupEvent""#, #""from":"Bob""#, #""text":"connected""#)
        try ann.type(":link")
        try cath.type(":join \(try await ann.link())")
        try await cath.said(#""event":"joined""#, #""chat":"team""#)
        try await bob.said(#""event":"groupEvent""#, #""from":"Cath""#, #""text":"connected""#)
        try await cath.said(#""event":"groupEvent""#, #""from":"Bob""#, #""text":"connected""#)

        // Messages go to all, with the name of who wrote them; @ mentions.
        try cath.type("hello @Bob")
        let asked = try await bob.item(#""chat":"team""#, #""from":"Cath""#, #""text":"hello @Bob""#, #""mentioned":true"#)
        let heard = try await ann.output("Cath's message") { $0.contains(#""text":"hello @Bob""#) }
        #expect(!heard.contains("mentioned"), "it mentions somebody else")
        try bob.type(":reply #\(asked) hello Cath")
        try await cath.said(#""from":"Bob""#, #""quotes":"hello @Bob""#)

        // Those who moderate do.
        try ann.type(":members")
        try await ann.said(#""event":"member""#, #""name":"Cath""#, #""role":"member""#, #""status":"connected""#)
        try cath.type("bad words")
        let bad = try await bob.item(#""from":"Cath""#, #""text":"bad words""#)
        try bob.type(":moderate #\(bad)")
        try await ann.said(#""event":"deleted""#, #""chat":"team""#)
        try ann.type(":role Cath observer")
        try await cath.said(#""event":"groupEvent""#, "changed your role to observer")
        try cath.type("may I?")
        try await cath.said(#""event":"error""#)
        try ann.type(":role Cath member")
        try await cath.said(#""event":"groupEvent""#, "changed your role to member")

        // What is said to moderators is seen by them only.
        try cath.type(":support")
        try cath.type("a question")
        try await ann.said(#""from":"Cath""#, #""support":"Cath""#, #""text":"a question""#)
        try bob.type(":support cath")
        try bob.type("an answer")
        try await cath.said(#""from":"Bob""#, #""support":"Cath""#, #""text":"an answer""#)

        try bob.type(":remove Cath messages")
        try await bob.said(#""event":"error""#)
        try ann.type(":remove Cath messages")
        try await cath.said(#""event":"groupEvent""#, #""text":"removed you""#)
        try bob.type(":leave")
        try await ann.said(#""event":"groupEvent""#, #""from":"Bob""#, #""text":"left""#)
        for person in [ann, bob, cath] {
            person.endInput()
            #expect(try await person.exit() == 0, "\(person.logTail())")
        }

        let alone = try ParleyProgram.start(["send", "--data", folder("Ann"), "--server", address, "--to", "#team", "anybody?"], log: folder("log"))
        #expect(try await alone.exit() == 0, "nobody is left to wait for: \(alone.logTail())")
        router.send(.terminate)
        #expect(try await router.exit() == 0)
    }

    @Test func aMemberWaitsUntilModeratorsLetHerIn() async throws {
        let folder = try ScratchFolder("knock")
        defer { folder.remove() }
        let router = try ParleyProgram.start(["server", "smp", "start", "--port", "0", "--json", "--data", folder("router")], log: folder("log"))
        let address = try #require(try await router.ready().address)
        let ann = try person("Ann", address, folder), cath = try person("Cath", address, folder)
        try ann.type(":group club")
        try ann.type(":review on")
        try await ann.said("Moderators review who joins #club now.")
        try ann.type(":link")
        let link = try await ann.link()
        try cath.type(":join \(link)")
        try await cath.said(#""event":"joined""#, #""pending":true"#)
        try await ann.said(#""event":"pending""#, #""chat":"club""#, #""member":"Cath""#)
        try cath.type("let me in")
        try await ann.said(#""from":"Cath""#, #""support":"Cath""#, #""text":"let me in""#)
        try ann.type(":accept Cath observer")
        try await cath.said(#""event":"joined""#, #""pending":false"#)
        try ann.type(":members")
        try await ann.said(#""event":"member""#, #""name":"Cath""#, #""role":"observer""#)
        try ann.type("welcome")
        try await cath.said(#""from":"Ann""#, #""text":"welcome""#)
        for person in [ann, cath] {
            person.endInput()
            #expect(try await person.exit() == 0, "\(person.logTail())")
        }
        router.send(.terminate)
        #expect(try await router.exit() == 0)
    }

    @Test(arguments: [
        ([":members"], "[chat.noGroup]"), ([":join"], "[chat.noInvitation]"), ([":group team", ":role Nobody admin"], "[chat.noMember]"),
        ([":group team", ":add Nobody"], "[chat.unknown]"),
    ])
    func whatIsWrongIsSaidAndEndsWithCode2(_ lines: [String], _ expected: String) async throws {
        let folder = try ScratchFolder("wrong")
        defer { folder.remove() }
        let chat = try ParleyProgram.start(
            ["chat", "--data", folder("ann"), "--name", "Ann"] + lines.flatMap { ["--exec", $0] }, log: folder("log"))
        #expect(try await chat.exit() == 2)
        #expect(chat.logTail().contains(expected), "\(chat.logTail())")
    }

    private func person(_ name: String, _ server: String, _ folder: ScratchFolder) throws -> ChildProcess {
        try ParleyProgram.start(
            ["chat", "--data", folder(name), "--name", name, "--server", server, "--json"], input: nil, log: folder("log"))
    }
}
