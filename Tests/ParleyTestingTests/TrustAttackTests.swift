import ChatAPI
import ChatProtocol
import Parley
import ParleyTesting
import SMPWire
import Testing

/// Attacks on the names of trusted contacts: by strangers who want one, and by those who want others to lose theirs.
@Suite(.timeLimit(.minutes(5))) struct TrustAttackTests {
    private static func shop(moderators: [String] = []) -> Bot {
        var bot = Bot("Shop") {
            On(.text, in: [.contacts, .groups]) { message in try await message.send("that was \(message.trustedName ?? "nobody")") }
            On(.edited, in: [.contacts, .groups]) { edit in try await edit.send("changed by \(edit.trustedName ?? "nobody")") }
        }
        bot.trustedContacts = ["ann", "ben"]
        let preferences = GroupPreferences(directMessages: RoleGroupPreference(enable: .on))
        bot.groups = [ManagedGroup("lobby", GroupSettings("Lobby", preferences: preferences), moderators: moderators)]
        return bot
    }

    /// Whom the bot knows, by the ids of contacts and members.
    private func names(_ room: TestRoom) async throws -> [String: String] {
        let bot = try room.bot("Shop")
        var names: [String: String] = [:]
        for chat in await bot.chats.all {
            if let contact = chat.contactID, let found = await bot.chat(chat.reference) { names["@\(contact)"] = found.trustedName ?? "nobody" }
        }
        for group in await bot.groups.all {
            for member in try await group.members() { names["\(group.id)/\(member.id)"] = member.trustedName ?? "nobody" }
        }
        return names
    }

    /// The bot's answer to the question who somebody is.
    private func who(_ person: TestPerson, _ room: TestRoom, in chat: String = "Shop") async throws -> String? {
        try await person.say("It snows", in: chat)
        try await room.settle()
        return try await person.conversation(in: chat).last { $0.text.hasPrefix("that was") }?.text
    }

    /// The probe that Ann's client sends to a group whose host calls itself as the bot, passed on to the bot by that host.
    @Test(arguments: [true, false], [true, false])
    func whoPassesOnAProbeOfATrustedContactStaysAStranger(memberFirst: Bool, probeByMember: Bool) async throws {
        for hashFirst in [true, false] {
            try await withBots(Self.shop(moderators: ["ann"])) { room in
                let mallory = try await room.stranger("Annette"), ann = try await room.stranger("Annette")
                if memberFirst { try await mallory.join(group: "lobby") }
                try await ann.useLink(of: "ann")
                if !memberFirst { try await mallory.join(group: "lobby") }
                try await room.settle()
                let before = try await names(room)
                let probe = Probe.test(9)
                var steps: [(TestPerson, ChatMessageEvent, String)] = [(ann, .checkProbe(probe.hash), "Shop"), (mallory, .probe(probe), "Lobby")]
                if !probeByMember { steps = [(ann, .probe(probe), "Shop"), (mallory, .checkProbe(probe.hash), "Lobby")] }
                if hashFirst { steps.reverse() }
                for (person, event, chat) in steps {
                    try await person.attack(event, in: chat)
                    try await room.settle()
                }
                try await mallory.attack(.confirmProbe(probe), in: "Lobby")
                try await room.settle()
                #expect(try await names(room) == before)
                #expect(try await who(mallory, room, in: "Lobby") == "that was nobody")
                #expect(try await who(ann, room) == "that was ann")
                try await room.restart()
                #expect(try room.invitations().map(\.name) == ["ben"], "the link of ann is used")
                let member = try #require(try await room.bot("Shop").groups.managed("lobby")?.members().first { $0.trustedName == nil })
                #expect(member.role == .member)
            }
        }
    }

    @Test func whoJoinsByTheLinkOfTheGroupFirstIsTheTrustedContactAfterwardsAndAStrangerInTheGroup() async throws {
        try await withBots(Self.shop()) { room in
            let ann = try await room.stranger("Annette")
            try await ann.join(group: "lobby")
            try await room.settle()
            try await ann.useLink(of: "ann")
            try await room.settle()
            let probe = Probe.test(3)
            try await ann.attack(.probe(probe), in: "Lobby")
            try await ann.attack(.checkProbe(probe.hash), in: "Shop")
            try await room.settle()
            #expect(try await who(ann, room, in: "Shop") == "that was ann")
            #expect(try await who(ann, room, in: "Lobby") == "that was nobody")
            for _ in 0..<2 {
                try await room.restart()
                #expect(try room.invitations().map(\.name) == ["ben"])
                #expect(try await who(ann, room, in: "Shop") == "that was ann")
            }
        }
    }

    @Test func aTrustedContactWhomTheBotInvitesIsTrustedInTheGroupAndNobodySpeaksForIt() async throws {
        try await withBots(Self.shop(moderators: ["ann"])) { room in
            let ann = try await room.person("Annette", trustedAs: "ann")
            try await ann.acceptInvitation(to: "Lobby")
            try await ann.expectMembership(of: "Lobby")
            let mallory = try await room.stranger("Annette")
            try await mallory.join(group: "lobby")
            try await room.settle()
            let group = try #require(try await room.bot("Shop").groups.managed("lobby"))
            let member = try #require(try await group.members().first { $0.trustedName == nil })
            // Even an administrator passes on nothing in Ann's name.
            try await member.setRole(.admin)
            try await room.settle()
            #expect(try await who(ann, room, in: "Lobby") == "that was ann")
            let id = try #require(try await group.members().first { $0.trustedName == "ann" }).member.memberID
            let texts = try await mallory.conversation(in: "Lobby").count
            let forged = ChatMessage(
                messageID: SharedMessageID(Bytes(repeating: 4, count: 12)), event: .newMessage(MessageContainer(content: .text("/publish forged"))))
            try await mallory.attack(
                .forwardMessage(MessageForward(sender: .member(id, name: "x"), brokerTimestamp: UTCTimestamp(seconds: 1_767_225_600)), forged), in: "Lobby")
            try await room.settle()
            #expect(try await mallory.conversation(in: "Lobby").count == texts, "the bot has answered to nothing")
            #expect(try await who(mallory, room, in: "Lobby") == "that was nobody")
        }
    }

    /// Whatever a stranger and the people themselves send, in any order.
    @Test(arguments: [UInt64(1), 2, 3])
    func nothingThatIsReceivedMovesAName(_ seed: UInt64) async throws {
        try await withBots(Self.shop(moderators: ["ann"])) { room in
            let ann = try await room.person("Annette", trustedAs: "ann")
            try await ann.acceptInvitation(to: "Lobby")
            try await ann.expectMembership(of: "Lobby")
            let ben = try await room.person("Annette", trustedAs: "ben"), mallory = try await room.person("Annette")
            try await mallory.join(group: "lobby")
            try await ben.join(group: "lobby")
            try await room.settle()
            let before = try await names(room), group = try #require(try await room.bot("Shop").groups.managed("lobby"))
            #expect(before.values.sorted() == ["ann", "ann", "ben", "nobody", "nobody", "nobody"])
            let ids = try await group.members().map(\.member.memberID)
            var steps: [(TestPerson, ChatMessageEvent, String)] = []
            for (number, byte) in (UInt8(1)...6).enumerated() {
                let probe = Probe.test(byte), people = [ann, ben, mallory]
                let one = people[number % 3], other = people[(number + 1) % 3]
                steps += [
                    (one, .probe(probe), "Shop"), (other, .checkProbe(probe.hash), "Lobby"), (other, .probe(probe), "Lobby"),
                    (one, .checkProbe(probe.hash), "Shop"),
                ]
                steps += [(one, .confirmProbe(probe), "Shop"), (other, .confirmProbe(probe), "Lobby")]
            }
            let profiles = ["ann", "ben", "Annette", "Shop"].map { Profile(displayName: $0, fullName: "") }
            for person in [ann, ben, mallory] {
                steps += profiles.flatMap { [(person, .info($0), "Shop"), (person, .info($0), "Lobby"), (person, .groupLinkMember($0), "Lobby")] }
                steps.append(
                    (person, .groupDirectInvitation(connectionRequest: "simplex:/invitation#/?v=2-7&smp=x", content: .text("me"), scope: nil), "Lobby"))
            }
            for id in ids {
                let info = MemberInfo(memberID: id, role: .owner, versions: ChatVersions.supported, profile: Profile(displayName: "ann", fullName: ""))
                let invitation = IntroInvitation(groupConnectionRequest: "simplex:/invitation#/?v=2-7&smp=x")
                let events: [ChatMessageEvent] = [
                    .newMember(info, scope: nil), .introduceMember(info, restrictions: nil), .inviteMember(memberID: id, invitation),
                    .forwardMemberInvitation(info, invitation), .memberInfo(memberID: id, info.profile), .memberConnected(memberID: id),
                    .acceptGroup(memberID: id),
                    .forwardMessage(
                        MessageForward(sender: .member(id, name: "ann"), brokerTimestamp: UTCTimestamp(seconds: 1_767_225_600)),
                        ChatMessage(messageID: nil, event: .info(info.profile))),
                ]
                steps += events.map { (mallory, $0, "Lobby") }
            }
            steps.append((mallory, .contact(ContactRequest(profile: profiles[0])), "Shop"))
            var random = SeededRandom(seed)
            for (index, (person, event, chat)) in steps.shuffled(using: &random).enumerated() {
                try await person.attack(event, in: chat)
                // Some arrive together, others after what came before has been taken in.
                if index % 5 == 0 { try await room.settle() }
            }
            try await room.settle()
            let after = try await names(room)
            #expect(before.allSatisfy { after[$0.key] == $0.value }, "seed \(seed)")
            #expect(after.values.count { $0 == "ann" } == 2 && after.values.count { $0 == "ben" } == 1, "seed \(seed)")
            #expect(try await who(ann, room, in: "Shop") == "that was ann")
            #expect(try await who(ben, room, in: "Shop") == "that was ben")
            try await room.restart()
            let restarted = try await names(room)
            #expect(before.allSatisfy { restarted[$0.key] == $0.value }, "seed \(seed)")
            #expect(try room.invitations().isEmpty)
        }
    }
}

/// Random numbers of a seed.
private struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
