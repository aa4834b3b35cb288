internal import ArgumentParser
internal import ChatAPI
internal import ChatProtocol
internal import Hosting

/// `parley profile`: the profiles of a data folder and their addresses.
struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "List the profiles of a data folder, or show an address.",
        subcommands: [List.self, Address.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the profiles of a data folder.")

        @Option(help: "The folder for databases and keys. [default: $PARLEY_DATA, else parley-data]")
        var data: String?

        @OptionGroup var options: CommonOptions

        func run() async throws {
            let configuration = try options.configuration(data: data)
            try await openOrAsk(configuration) { host in
                for user in try await ProfileFinder(core: host.core).all() { show(user.localDisplayName, user.userID) }
            } running: { running in
                for profile in running.profiles { show(profile.name, profile.userID) }
            }
        }

        private func show(_ name: String, _ id: UserID) {
            if options.json { Output.line(["name": .string(name), "id": id.json]) } else { Output.line(VisibleText.name(name)) }
        }
    }

    struct Address: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "address", abstract: "Show the address of a profile.")

        @Argument(help: "The profile, by its name. [default: the only one]")
        var profile: String?

        @Option(help: "The folder for databases and keys. [default: $PARLEY_DATA, else parley-data]")
        var data: String?

        @OptionGroup var options: CommonOptions

        func run() async throws {
            try await openOrAsk(try options.configuration(data: data)) { host in
                let user = try await ProfileFinder(core: host.core).profile(named: profile)
                let link = try await link(of: user, host.core)?.connectionLink
                try show(user.localDisplayName, full: link?.fullLink, short: link?.shortLink)
            } running: { running in
                let one = try ProfileFinder.choose(profile, among: running.profiles, name: \.name)
                try show(one.name, full: one.address, short: one.shortAddress)
            }
        }

        private func show(_ name: String, full: String?, short: String?) throws {
            guard let full else { throw Outcome.Failed("profile.noAddress", description: "\(VisibleText.name(name)) has no address") }
            if options.json {
                Output.line(
                    Output.object { object in
                        object["name"] = name
                        object["address"] = full
                        object["shortAddress"] = short
                    })
            } else {
                Output.link(short ?? full, indent: "")
            }
        }

        private func link(of user: User, _ core: any ChatCore) async throws(ChatCoreError) -> UserContactLink? {
            do throws(ChatCoreError) {
                guard case .userContactLink(_, let link) = try await core.send(.address(.show(user: user.userID)), as: user.userID) else { return nil }
                return link
            } catch {
                guard error.isAddressNotFound else { throw error }
                return nil
            }
        }
    }
}

/// Opens a data folder or, if bots run on it, takes what they say of themselves. It makes no folder.
private func openOrAsk(
    _ configuration: HostConfiguration, _ opened: @Sendable (CoreHost) async throws -> Void, running: (RunningProfiles) throws -> Void
) async throws {
    guard configuration.data.hasDatabases else {
        throw Outcome.BadInput(
            "dataFolder",
            description:
                "there are no profiles in \(configuration.data.path): name the data folder with --data or PARLEY_DATA, or make a profile with parley run or parley chat"
        )
    }
    do {
        try await CoreHost.with(configuration, opened)
    } catch let error as HostError where error.code == .dataFolderInUse {
        guard let known = RunningProfiles.read(dataFolder: configuration.dataFolder) else { throw error }
        try running(known)
    }
}
