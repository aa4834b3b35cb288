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
            try await CoreHost.with(try options.configuration(data: data)) { host in
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
            try await CoreHost.with(try options.configuration(data: data)) { host in
                let user = try await ProfileFinder(core: host.core).profile(named: profile)
                guard let link = try await link(of: user, host.core) else {
                    throw Outcome.Failed("profile.noAddress", description: "\(user.localDisplayName) has no address")
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
