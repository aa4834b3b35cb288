import Parley

/// Connects the groups of two profiles: what is said in one is repeated in the other. Run it with `swift run BridgeBot`.
///
/// Invite each profile to one group, or join the groups that they keep. Messages of bots are not repeated, so two bridges do not repeat each other.
@main struct BridgeBot {
    static func main() async {
        await BotHost(bots).run { ready in
            for profile in ready.profiles {
                for group in profile.managedGroups { print("\(group.name): \(group.link ?? "")") }
            }
        }
    }

    static var bots: [Bot] { [side("north", name: "North", other: "south"), side("south", name: "South", other: "north")] }

    static func side(_ id: String, name: String, other: String) -> Bot {
        var bot = Bot("\(name) bridge", id: id, bio: "I repeat what is said on the other side", address: .none) {
            On(.groupInvitation) { invitation in try await invitation.join() }
            On(.text, in: .groups) { message in
                // The other profile sends at most once for this message, whatever dies.
                guard let opposite = message.client.other(other) else { return }
                for group in await opposite.groups.all where group.isMember {
                    try await group.send("\(message.senderName): \(message.text)")
                }
            }
        }
        bot.groups = [ManagedGroup(id, GroupSettings("\(name) side"))]
        return bot
    }
}
