internal import ArgumentParser
internal import ChatAPI
internal import Parley

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
            try await CoreHost.with(options.configuration(data: data)) { host in
                for user in try await ProfileFinder(core: host.core).all() {
                    if options.json {
                        Output.line(#"{"name":\#(Output.quoted(user.localDisplayName)),"id":\#(user.userID)}"#)
                    } else {
                        Output.line(user.localDisplayName)
                    }
                }
            }
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
            try await CoreHost.with(options.configuration(data: data)) { host in
                let user = try await ProfileFinder(core: host.core).profile(named: profile)
                guard case .userContactLink(_, let link) = try await host.core.send(.address(.show(user: user.userID)), as: user.userID) else {
                    throw Outcome.Failed(description: "\(user.localDisplayName) has no address")
                }
                let short = link.connectionLink.shortLink, full = link.connectionLink.fullLink
                if options.json {
                    let shortMember = short.map { #","shortAddress":\#(Output.quoted($0))"# } ?? ""
                    Output.line(#"{"name":\#(Output.quoted(user.localDisplayName)),"address":\#(Output.quoted(full))\#(shortMember)}"#)
                } else {
                    Output.link(short ?? full, indent: "")
                }
            }
        }
    }
}
