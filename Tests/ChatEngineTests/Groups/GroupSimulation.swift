import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import SMPAgent
import SMPClient
import SMPSimulation
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatStore

/// A random life of a group, out of a seed: people join, write, edit, delete, react, moderate, change roles, leave and are removed, while their
/// processes end and their connections to the router break. In the end all members must agree, as far as the protocol promises it.
///
/// What is random follows from the seed; how the cores run side by side does not. Changes that the protocol lets members see in different orders
/// are not made at once: only the owner changes members, moderators act once everybody knows their role, and what is changed has come to all.
final class GroupSimulation {
    /// A message as it must be in the end at all who were there.
    private struct Message {
        let author: Int
        let original: String
        var text: String
        /// The step at which it was sent.
        let step: Int
        var isDeleted = false
        /// Who has moderated it.
        var moderator: Int?
        /// False for a moderation that was on its way when its moderator got another role or went.
        var isDeletionPromised = true
        /// The steps of the reactions, by member.
        var reactions: [Int: Int] = [:]
    }

    private enum Standing: Equatable {
        case outside
        /// A member since a step.
        case member(since: Int)
        case gone
    }

    private static let names = ["alice", "bob", "cath", "dan", "erin", "frank"]

    /// How long everybody may take to agree, once all are there again.
    private static let patience = Duration.seconds(60)

    let seed: UInt64
    private var random: SplitMix64
    private let world: TestWorld
    private var people: [TestPerson] = []
    private var isUp: [Bool] = []
    private var isOnline: [Bool] = []
    private var standing: [Standing] = []
    private var roles: [GroupMemberRole] = []
    private var messages: [Message] = []
    private var link = ""
    private var step = 0
    /// What was done, for the report of a failure.
    private(set) var log: [String] = []

    init(seed: UInt64) {
        self.seed = seed
        // In every other world, queues of members who are away become full.
        world = TestWorld(quota: seed % 2 == 0 ? 4 : 128)
        random = SplitMix64(seed: seed)
    }

    private func draw(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private func note(_ what: String) { log.append("\(step) \(what)") }

    // MARK: The run

    /// - Throws: If something could not be done. Disagreement in the end is recorded as an issue.
    func run(steps: Int) async throws {
        var agent = AgentConfiguration.light
        // The last messages of a connection that has ended are tried again only: the other side has no way left to say that there is room.
        agent.slowRetry = RetryInterval(initial: .seconds(5), increaseAfter: .seconds(60), maximum: .seconds(10))
        for name in Self.names { people.append(try await TestPerson(name, world, agent: agent)) }
        isUp = people.map { _ in true }
        isOnline = isUp
        standing = people.map { _ in .outside }
        standing[0] = .member(since: 0)
        roles = people.map { _ in .member }
        roles[0] = .owner
        let owner = people[0].core
        _ = try await owner.run(#"/_group 1 {"displayName":"team","fullName":"","groupPreferences":{"history":{"enable":"on"}}}"#)
        guard case .groupLinkCreated(_, _, let made) = try await owner.run("/_create link #1") else { throw UnexpectedAnswer() }
        link = made.connectionLink.fullLink
        try await join(1)
        for number in 1...steps {
            step = number
            try await act()
        }
        try await calm()
        await checkAgreement()
        for person in people { await person.core.close() }
    }

    private func act() async throws {
        switch draw(0...99) {
        case 0..<45: try await write()
        case 45..<53: try await edit()
        case 53..<59: try await delete()
        case 59..<66: try await react()
        case 66..<70: try await moderate()
        case 70..<78: if let outsider = pick({ self.standing[$0] == .outside && self.isOnline[$0] }), isOnline[0], isUp[0] { try await join(outsider) }
        case 78..<82: try await end()
        case 82..<86: try await changeRole()
        case 86..<93: try await killOrRestart()
        default: partOrHeal()
        }
    }

    /// A random person for whom a condition holds, and whose process runs.
    private func pick(_ condition: (Int) -> Bool) -> Int? {
        people.indices.filter { isUp[$0] && condition($0) }.randomElement(using: &random)
    }

    private func isMember(_ person: Int) -> Bool { if case .member = standing[person] { true } else { false } }

    // MARK: What people do

    private func join(_ person: Int) async throws {
        note("\(Self.names[person]) joins")
        _ = try await people[person].core.run("/_connect 1 \(link)")
        let name = Self.names[person]
        await people[person].eventually("\(name) has joined") { await Self.info($0)?.membership.status == .connected }
        await people[0].eventually("the owner has let \(name) in") { await Self.members($0)[name]?.status == .connected }
        standing[person] = .member(since: step)
    }

    private func write() async throws {
        guard let author = pick(isMember) else { return }
        let text = "\(messages.count) of \(Self.names[author])"
        note("\(Self.names[author]) writes \(text)")
        let json = JSONValue.array([["msgContent": ["type": "text", "text": .string(text)]]])
        _ = try await people[author].core.run("/_send #1 json \(json.text)")
        messages.append(Message(author: author, original: text, text: text, step: step))
    }

    /// A message that everybody has who was there, and who is there now; nil if there is none.
    private func settledMessage(of author: Int? = nil) async -> Int? {
        let candidates = messages.indices.filter { index in
            let message = messages[index]
            return !message.isDeleted && isMember(message.author) && (author ?? message.author) == message.author
        }
        guard let index = candidates.suffix(10).randomElement(using: &random) else { return nil }
        for person in people.indices where isMember(person) {
            guard isUp[person], await Self.items(people[person].core)[messages[index].text] != nil else { return nil }
        }
        return index
    }

    private func edit() async throws {
        guard let author = pick(isMember), let index = await settledMessage(of: author) else { return }
        let text = messages[index].original + " edited at \(step)"
        note("\(Self.names[author]) edits \(messages[index].text)")
        let item = try #require(await Self.items(people[author].core)[messages[index].text])
        let json: JSONValue = ["msgContent": ["type": "text", "text": .string(text)], "mentions": [:]]
        _ = try await people[author].core.run("/_update item #1 \(item.id) json \(json.text)")
        messages[index].text = text
    }

    private func delete() async throws {
        guard let author = pick(isMember), let index = await settledMessage(of: author) else { return }
        note("\(Self.names[author]) deletes \(messages[index].text)")
        let item = try #require(await Self.items(people[author].core)[messages[index].text])
        _ = try await people[author].core.run("/_delete item #1 \(item.id) broadcast")
        messages[index].isDeleted = true
    }

    private func react() async throws {
        guard let index = await settledMessage(), let person = pick(isMember), messages[index].reactions[person] == nil else { return }
        note("\(Self.names[person]) likes \(messages[index].text)")
        let item = try #require(await Self.items(people[person].core)[messages[index].text])
        _ = try await people[person].core.run(#"/_reaction #1 \#(item.id) on {"type":"emoji","emoji":"👍"}"#)
        messages[index].reactions[person] = step
    }

    private func moderate() async throws {
        guard let moderator = pick({ self.isMember($0) && self.roles[$0] >= .moderator }), let index = await settledMessage() else { return }
        let author = messages[index].author
        guard author != moderator, roles[author] <= roles[moderator], await knowsRole(of: moderator), await knowsRole(of: author) else { return }
        note("\(Self.names[moderator]) moderates \(messages[index].text)")
        let item = try #require(await Self.items(people[moderator].core)[messages[index].text])
        _ = try await people[moderator].core.run("/_delete member item #1 \(item.id)")
        messages[index].isDeleted = true
        messages[index].moderator = moderator
    }

    /// The rights of a member are about to change: what it has moderated, and not all show yet, may be refused.
    private func releaseModerations(by moderator: Int) async {
        for index in messages.indices where messages[index].moderator == moderator {
            for person in people.indices where isMember(person) && messages[index].isDeletionPromised {
                let item = isUp[person] ? await Self.items(people[person].core)[messages[index].text] : nil
                messages[index].isDeletionPromised = item?.meta.deleted != nil
            }
        }
    }

    /// Tells whether all members know the role of one.
    private func knowsRole(of subject: Int) async -> Bool {
        for person in people.indices where isMember(person) {
            guard isUp[person] else { return false }
            let role =
                person == subject ? await Self.info(people[person].core)?.membership.role : await Self.members(people[person].core)[Self.names[subject]]?.role
            guard role == roles[subject] else { return false }
        }
        return true
    }

    /// The owner gives a member another role.
    private func changeRole() async throws {
        guard isUp[0], let member = people.indices.dropFirst().filter(isMember).randomElement(using: &random) else { return }
        let role = [GroupMemberRole.member, .moderator, .admin][draw(0...2)]
        guard role != roles[member], let id = await Self.members(people[0].core)[Self.names[member]]?.groupMemberID else { return }
        note("\(Self.names[member]) becomes \(role.code)")
        await releaseModerations(by: member)
        _ = try await people[0].core.run("/_member role #1 \(id) \(role.code)")
        roles[member] = role
    }

    /// A member leaves, or is removed by the owner.
    private func end() async throws {
        guard isUp[0], let member = pick({ $0 != 0 && self.isMember($0) }), people.indices.filter(isMember).count > 3 else { return }
        let name = Self.names[member]
        await releaseModerations(by: member)
        if draw(0...1) == 0 {
            note("\(name) leaves")
            _ = try await people[member].core.run("/_leave #1")
        } else {
            note("\(name) is removed")
            let id = try #require(await Self.members(people[0].core)[name]?.groupMemberID)
            _ = try await people[0].core.run("/_remove #1 \(id)")
        }
        standing[member] = .gone
    }

    // MARK: What happens to them

    private func killOrRestart() async throws {
        let person = draw(0...people.count - 1)
        if isUp[person] {
            note("\(Self.names[person]) dies")
            await people[person].kill()
            isUp[person] = false
        } else {
            try await restart(person)
        }
    }

    private func restart(_ person: Int) async throws {
        note("\(Self.names[person]) is back")
        try await people[person].restart()
        isUp[person] = true
        isOnline[person] = true
    }

    private func partOrHeal() {
        let person = draw(0...people.count - 1)
        guard isUp[person] else { return }
        note("\(Self.names[person]) is \(isOnline[person] ? "cut off" : "online again")")
        if isOnline[person] {
            people[person].core.network.disconnect(world.router.address)
        } else {
            people[person].core.network.reconnect(world.router.address)
        }
        isOnline[person].toggle()
    }

    private func calm() async throws {
        for person in people.indices {
            if !isUp[person] {
                try await restart(person)
            } else if !isOnline[person] {
                people[person].core.network.reconnect(world.router.address)
                isOnline[person] = true
            }
        }
    }

    // MARK: What must be true in the end

    private func checkAgreement() async {
        let present = people.indices.filter(isMember)
        let expected = Dictionary(uniqueKeysWithValues: present.map { (Self.names[$0], roles[$0]) })
        for person in present {
            let name = Self.names[person], others = expected.filter { $0.key != name }
            let core = people[person].core
            let agrees = await core.eventually(Self.patience) {
                let members = await Self.members(core).filter(\.value.status.isCurrent)
                return members.mapValues(\.role) == others && members.values.allSatisfy { $0.activeConnection?.status == .ready }
            }
            let found = await Self.members(people[person].core).mapValues {
                "\($0.role.code) \($0.status.rawValue) \($0.activeConnection.map { "\($0.status)" } ?? "-")"
            }
            #expect(agrees, "PARLEY_SEED=\(seed): \(name) has \(found), expected \(others.mapValues(\.code)); \(log)")
            let role = roles[person]
            let knowsItself = await core.eventually(Self.patience) {
                let own = await Self.info(core)?.membership
                return own?.role == role && own?.status.isActive == true
            }
            #expect(knowsItself, "PARLEY_SEED=\(seed): \(name) itself; \(log)")
        }
        for person in people.indices where standing[person] == .gone {
            let core = people[person].core
            let isOut = await core.eventually(Self.patience) { await Self.info(core)?.membership.status.isRemoved == true }
            #expect(isOut, "PARLEY_SEED=\(seed): \(Self.names[person]) is no member any more; \(log)")
        }
        for person in present {
            guard case .member(let since) = standing[person] else { continue }
            // Of those who have gone, what was on its way is not promised.
            let due = messages.filter { $0.step > since && isMember($0.author) }
            let core = people[person].core
            let isThere = await core.eventually(Self.patience) {
                let items = await Self.items(core)
                return due.allSatisfy { Self.differs($0, items[$0.text], since: since, present: present) == nil }
            }
            let all = await Self.all(core), items = await Self.items(core)
            var differences: [String] = []
            for message in due {
                guard let difference = Self.differs(message, items[message.text], since: since, present: present) else { continue }
                differences.append("\(difference) (\(await standing(of: message, at: person)))")
            }
            #expect(isThere, "PARLEY_SEED=\(seed): \(Self.names[person]): \(differences); \(log)")
            let texts = all.map(\.meta.text)
            #expect(Set(texts).count == texts.count, "PARLEY_SEED=\(seed): \(Self.names[person]) has something twice: \(texts); \(log)")
            for author in present { checkOrder(of: due.filter { $0.author == author }, among: all, at: person) }
        }
    }

    /// Messages that came by way of the host are in their order, and so are those that came directly. The two ways have queues of their own: the routers'
    /// times alone say what the last forwarded and the first direct messages of an author have to do with each other.
    private func checkOrder(of due: [Message], among items: [ChatItem], at person: Int) {
        let order = due.map(\.text), shown = items.filter { order.contains($0.meta.text) }
        for forwarder in Set(shown.map(\.meta.forwardedByMember)) {
            let found = shown.filter { $0.meta.forwardedByMember == forwarder }.map(\.meta.text)
            let times = shown.map {
                "\($0.id) \($0.meta.text) (\($0.meta.itemTimestamp), \($0.meta.forwardedByMember.map { "by \($0.rawValue)" } ?? "direct"))"
            }
            let isOrdered = found == order.filter(found.contains)
            #expect(isOrdered, "PARLEY_SEED=\(seed): at \(Self.names[person]) out of order: \(times); \(log)")
        }
    }

    /// What is wrong with an item; nil if nothing is.
    private static func differs(_ message: Message, _ item: ChatItem?, since: Int, present: [Int]) -> String? {
        guard let item else { return "\(message.text) is missing" }
        if message.isDeletionPromised, (item.meta.deleted != nil) != message.isDeleted {
            return "\(message.text) \(message.isDeleted ? "is not" : "is") deleted"
        }
        // Of those who have gone, what was on its way is not promised.
        let reactions = message.reactions.filter { $0.value > since && present.contains($0.key) }.count
        guard !message.isDeleted else { return nil }
        let found = item.reactions.reduce(0) { $0 + $1.totalReacted }
        return found >= reactions && found <= message.reactions.count ? nil : "\(message.text) has \(found) reactions instead of \(reactions)"
    }

    /// What the author of a message knows of its delivery to a member.
    private func standing(of message: Message, at person: Int) async -> String {
        let core = people[message.author].core
        guard let item = await Self.items(core)[message.text], let member = await Self.members(core)[Self.names[person]],
            case .chatItemInfo(_, _, let info)? = try? await core.run("/_get item info #1 \(item.id)")
        else { return "not at its author" }
        let status = info.memberDeliveryStatuses?.first { $0.groupMemberID == member.groupMemberID }?.status
        return "\(status.map { "\($0)" } ?? "not sent"), \(member.status.rawValue), \(member.activeConnection.map { "\($0.status)" } ?? "no connection")"
    }

    // MARK: Looking

    private static func info(_ core: TestCore) async -> GroupInfo? {
        guard case .groupInfo(_, let group)? = try? await core.run("/_info #1") else { return nil }
        return group
    }

    private static func members(_ core: TestCore) async -> [String: GroupMember] {
        guard case .groupMembers(_, let group)? = try? await core.run("/_members #1") else { return [:] }
        return Dictionary(group.members.map { ($0.localDisplayName, $0) }, uniquingKeysWith: { $1 })
    }

    private static func all(_ core: TestCore) async -> [ChatItem] {
        guard case .apiChat(_, let chat, _)? = try? await core.run("/_get chat #1 count=1000") else { return [] }
        return chat.chatItems.filter { $0.content.message != nil }
    }

    private static func items(_ core: TestCore) async -> [String: ChatItem] {
        Dictionary(await all(core).map { ($0.meta.text, $0) }, uniquingKeysWith: { $1 })
    }
}
