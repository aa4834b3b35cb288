internal import ArgumentParser
internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Parley
internal import ParleyRules

/// `parley replay`: what rules would make of messages that were received. Sends nothing.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Show what the rules of a bots.yaml would do with the messages of a data folder.",
        discussion: """
            With --against it shows the messages with which two files would do different things. Nothing is sent, received or stored. The folder may \
            be that of bots that run.
            """)

    @Argument(help: "The file with the rules to try.")
    var file: String

    @Option(help: "The file with the rules to compare with, such as those that run now.")
    var against: String?

    @Option(help: "Leave out messages that are older: 30m, 24h, 7d.")
    var since: TimeLimit?

    @Option(help: "The rules and messages of this profile only, by its key or name.")
    var profile: String?

    @Option(help: "The folder for databases and keys. [default: $PARLEY_DATA, else parley-data]")
    var data: String?

    @Flag(help: "Print the texts of messages, and those that would be sent.")
    var showText = false

    @OptionGroup var keys: KeyOptions

    @Flag(help: "Print JSON, one object a line, for scripts.")
    var json = false

    func run() async throws {
        let new = try BotsFile(contentsOf: file), old = try against.map { try BotsFile(contentsOf: $0) }
        var configuration = HostConfiguration(dataFolder: data)
        configuration.databaseKey = try keys.source(for: configuration.data, given: nil)
        let profiles = try ProfileChoice.profiles(of: new, named: profile)
        let comparisons = try profiles.map { profile in
            let before = old?.profiles.first { $0.id == profile.id }
            return try ReplayComparison(profile, in: new, before: before, in: old)
        }
        let report = ReplayReport(file: file, against: against, showsText: showText, json: json)
        let start = since.map { Date().addingTimeInterval(-$0.seconds) }
        try await StoredFolder.read(configuration) { [profile] core in
            var found = 0
            for comparison in comparisons {
                guard let user = try await ProfileFinder(core: core).all().first(where: { comparison.names.contains($0.localDisplayName) }) else {
                    // A profile of the file that was never started has no messages. One that was asked for by name has to be there.
                    if profile != nil { throw Outcome.BadInput("profile.unknown", description: "the data folder has no profile \"\(comparison.names[0])\"") }
                    continue
                }
                found += 1
                var comparison = comparison
                let trusted = try await TrustedPeople(comparison.trusted, of: user.userID, in: core)
                try await StoredMessages(core: core, user: user.userID, start: start, trusted: trusted).each { message in
                    if let difference = comparison.take(message) { report.show(message, difference, of: comparison) }
                }
                report.end(comparison)
            }
            if found == 0 {
                throw Outcome.BadInput("profile.unknown", description: "the data folder has no profile of \(file): are they of the same bots?")
            }
        }
    }
}

/// A length of time as an option: `24h`.
struct TimeLimit: ExpressibleByArgument {
    let seconds: Double

    init?(argument: String) {
        guard let seconds = RuleDuration.seconds(argument), seconds > 0 else { return nil }
        self.seconds = seconds
    }
}

extension TrustedPeople {
    /// The trusted contacts of a profile, as its folder shows them.
    fileprivate init(_ names: Set<String>, of user: UserID, in core: any ChatCore) async throws {
        guard !names.isEmpty, case .apiChats(_, let chats) = try await core.send(.chats(.list(user: user)), as: user) else {
            self.init(names: names)
            return
        }
        let contacts = chats.compactMap(\.chatInfo.contact)
        self.init(
            names: names,
            contacts: contacts.sorted { ($0.activeConnection?.connectionID.rawValue ?? 0) < ($1.activeConnection?.connectionID.rawValue ?? 0) })
    }
}

/// The messages of a profile in the order in which they came, read page by page.
struct StoredMessages {
    /// Items of one page.
    private static let pageSize = 500

    let core: any ChatCore
    let user: UserID
    /// Older messages are left out; nil for all.
    let start: Date?
    /// The trusted contacts.
    let trusted: TrustedPeople

    /// Gives each message to the closure.
    func each(_ body: (ReplayedMessage) throws -> Void) async throws {
        guard var page = try await firstPage() else { return }
        while let last = page.last?.chatItem.id {
            for entry in page {
                guard let message = ReplayedMessage(entry, trusted: trusted), start.map({ message.time >= $0 }) ?? true else { continue }
                try body(message)
            }
            page = try await items(.after(last, count: Self.pageSize))
        }
    }

    /// The oldest page with a message that counts; only one page is in memory at a time.
    private func firstPage() async throws -> [ItemInChat]? {
        var page = try await items(.last(Self.pageSize))
        while let first = page.first?.chatItem.id {
            // The times of groups are those of other clients: a page counts until all of the one before it is older.
            let before = try await items(.before(first, count: Self.pageSize))
            guard !before.isEmpty, before.contains(where: isRecent) else { break }
            page = before
        }
        return page.isEmpty ? nil : page
    }

    private func isRecent(_ entry: ItemInChat) -> Bool {
        start.map { entry.chatItem.meta.itemTimestamp.timeIntervalSince1970 >= $0.timeIntervalSince1970 } ?? true
    }

    private func items(_ page: ChatPagination) async throws -> [ItemInChat] {
        guard case .chatItems(_, _, let items) = try await core.send(.chats(.items(pagination: page)), as: user) else { return [] }
        return items
    }
}
