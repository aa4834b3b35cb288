internal import ChatAPI
internal import ChatModel
internal import Logging

extension Provisioner {
    /// Makes the invitations of a bot's trusted contacts, or finds those that nobody has used yet.
    ///
    /// The alias of an invitation becomes that of the contact who uses it. Only the owner of a profile can set aliases, so that they tell who somebody is.
    func invitations(of bot: Bot, user: UserID) async throws(ChatCoreError) -> [HostReady.Invitation] {
        guard !bot.trustedContacts.isEmpty else { return [] }
        guard case .apiChats(_, let chats) = try await model.send(.chats(.list(user: user, pendingConnections: true)), as: user) else {
            throw ChatCoreError(.invalidResponse, "the core did not list the chats of \(bot.id)")
        }
        var known: Set<String> = [], links: [String: CreatedConnectionLink] = [:]
        for chat in chats {
            switch chat.chatInfo {
            case .direct(let contact): known.insert(contact.profile.localAlias)
            case .contactConnection(let pending): links[pending.localAlias] = pending.invitationLink ?? links[pending.localAlias]
            default: break
            }
        }
        var invitations: [HostReady.Invitation] = []
        for name in bot.trustedContacts where known.insert(name).inserted {
            do throws(ChatCoreError) {
                let link = if let link = links[name] { link } else { try await invite(name, as: user) }
                invitations.append(HostReady.Invitation(name: name, link: link.shortLink ?? link.fullLink))
            } catch {
                // The bot runs without that contact, as it runs without one who does not come.
                logger.error(
                    "no invitation of a trusted contact could be made: it is tried at the next start",
                    metadata: ["bot": "\(bot.id)", "contact": "\(name)", "code": "\(error.code.rawValue)", "error": "\(error)"])
            }
        }
        return invitations
    }

    private func invite(_ name: String, as user: UserID) async throws(ChatCoreError) -> CreatedConnectionLink {
        guard case .invitation(_, let link, let connection) = try await model.send(.connections(.add(user: user)), as: user) else {
            throw ChatCoreError(.invalidResponse, "the core did not show the link that it made")
        }
        _ = try await model.send(.connections(.setAlias(connection: connection.connectionID, name)), as: user)
        return link
    }
}
