import Foundation
import Parley

/// The listings of a bot, and who is told of their changes.
struct Directory: Sendable {
    /// The trusted contacts who approve groups.
    let admins: [String]
    /// Parts of names of newcomers that groups with a filter refuse; case and accents do not count.
    let forbiddenNames: Set<String>

    /// A group and its listing.
    struct Item: Sendable {
        let group: BotGroup
        let listing: Listing

        var number: Int64 { group.id.rawValue }
        var name: String { listing.description.name }
    }

    /// All groups that were submitted.
    func items(_ client: BotClient) async throws -> [Item] {
        var items: [Item] = []
        for group in await client.groups.all {
            let listing = try await client.state(Listing.self, of: .chat(.group(group.id)))
            if listing.status != .none { items.append(Item(group: group, listing: listing)) }
        }
        return items
    }

    func item(_ number: Int, _ client: BotClient) async throws -> Item? { try await items(client).first { $0.number == Int64(number) } }

    /// The groups that people can find.
    func entries(_ client: BotClient) async throws -> [Entry] {
        try await items(client).compactMap { item in
            let facts = GroupFacts(item.group)
            return item.listing.isShown(facts) ? Entry(listing: item.listing, members: facts.members) : nil
        }
    }

    /// Changes the listing of a group.
    @discardableResult
    func update<Result: Sendable>(_ group: BotGroup, _ client: BotClient, _ change: @escaping @Sendable (inout Listing) -> Result) async throws -> Result {
        try await client.update(Listing.self, of: .chat(.group(group.id)), change)
    }

    /// Takes up a group that the bot has joined, if somebody submitted it.
    func joined(_ group: BotGroup, _ client: BotClient) async throws {
        let stored = try await client.state(Submissions.self)
        guard group.isMember, let submission = group.submissionKeys.lazy.compactMap({ stored.submissions[$0] }).first else { return }
        try await client.update(Submissions.self) { $0.remove(submission) }
        let submitter = submission.submitter, known = try await client.state(Listing.self, of: .chat(.group(group.id))).status
        // A link proves nothing: by it nobody takes over what somebody else has submitted.
        guard submission.link == nil || known == .none || known == .unavailable else {
            return try await tell(submitter, "\(group.displayName) was submitted before.", client)
        }
        var link = submission.link ?? ""
        if submission.link == nil {
            let owners = try await group.members().filter { $0.role == .owner }.compactMap(\.member.contactID)
            guard owners.contains(where: { "\(PersonID.contact($0))" == submitter }) else {
                try await tell(submitter, "Only an owner can submit a group. I leave \(group.displayName).", client)
                return try await group.leave()
            }
            let made = try await group.makeLink().connectionLink
            link = made.shortLink ?? made.fullLink
        }
        let facts = GroupFacts(group), shown = link
        try await update(group, client) { $0.submit(by: submitter, isByOwner: submission.link == nil, link: shown, facts) }
        let confirm = "Send /confirm \(group.id) if this is the description:\n\(facts.description.text)"
        try await tell(submitter, "I have joined \(group.displayName). People will join by \(link)\n\n\(confirm)", client)
    }

    /// Compares a listing with its group, and tells who is concerned of a change.
    func review(_ group: BotGroup, _ client: BotClient) async throws {
        let facts = GroupFacts(group)
        guard let change = try await update(group, client, { $0.review(facts) }), let item = try await item(Int(group.id.rawValue), client) else { return }
        switch change {
        case .edited:
            try await tell(item.listing.submitter, "\(item.name) has changed. It is listed again when an admin of the directory has approved it.", client)
            try await askAdmins(item, client)
        case .unavailable:
            try await tell(item.listing.submitter, "\(item.name) is not listed any more: I must be an admin of the group. Invite me again.", client)
        case .available:
            try await tell(item.listing.submitter, "\(item.name) waits for the admins of the directory again.", client)
            try await askAdmins(item, client)
        }
    }

    /// Suspends a group when its submitter does not own it any more.
    func ownerGone(_ member: BotMember, _ client: BotClient) async throws {
        guard let contact = member.member.contactID, let item = try await item(Int(member.group.id.rawValue), client), item.listing.isByOwner,
            item.listing.submitter == "\(PersonID.contact(contact))"
        else { return }
        try await update(item.group, client) { $0.status = .suspended }
        try await tellAdmins("Whoever submitted \(item.name) owns it no longer. It is suspended: /resume \(item.number)", client)
    }

    /// Checks the name of a newcomer.
    func isForbidden(_ name: String) -> Bool { forbiddenNames.contains { name.folded.contains($0.folded) } }

    /// Sends the admins a group that waits for them.
    func askAdmins(_ item: Item, _ client: BotClient) async throws { try await tellAdmins(text(of: item), client) }

    private func tellAdmins(_ text: String, _ client: BotClient) async throws {
        for admin in admins { try await client.chat(withTrusted: admin)?.send(text) }
    }

    /// A group that waits, as admins see it.
    func text(of item: Item) -> String {
        let submission = item.listing.isByOwner ? "Submitted by its owner." : "Submitted by its link: the submitter need not own it."
        return "\(item.listing.description.text)\n\n\(submission)\n/approve \(item.number).\(item.listing.revision)\n/reject \(item.number)"
    }

    /// Sends a contact a text, if it is still one.
    func tell(_ person: String, _ text: String, _ client: BotClient) async throws {
        guard let chat = await client.chats.all.first(where: { "\($0.reference)" == person }) else { return }
        try await client.send(text, to: chat.reference)
    }
}

/// The groups that the bot was asked to join, and who asked.
struct Submissions: StoredState {
    struct Submission: Codable, Hashable, Sendable {
        /// The contact who submitted the group.
        var submitter: String
        /// The link that was submitted; nil for an invitation.
        var link: String?
    }

    /// Submissions that are remembered at a time.
    static let limit = 1_000

    /// By the forms of the link, or by ``Parley/BotGroup/invitationKey``.
    private(set) var submissions: [String: Submission] = [:]

    /// Notes a submission. False if there are too many.
    mutating func note(_ submission: Submission, as keys: String...) -> Bool {
        guard submissions.count < Self.limit else { return false }
        for key in keys { submissions[key] = submission }
        return true
    }

    mutating func remove(_ submission: Submission) { submissions = submissions.filter { $0.value != submission } }
}

extension BotGroup {
    /// The key of a submission by an invitation.
    var invitationKey: String { "#\(id)" }

    /// The keys under which the group may have been submitted.
    var submissionKeys: [String] { [invitationKey, info.viaGroupLinkURI, channelLink].compactMap(\.self) }
}
