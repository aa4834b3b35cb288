internal import ChatAPI
internal import ChatProtocol
internal import Parley

/// Lines about links, contacts and lists.
extension ChatSession {
    /// Chats, or members, that an error names at the most.
    static let namesInErrors = 50

    func connect(_ link: String) async throws {
        connecting += 1
        do {
            switch try await core.connect(by: link, as: user.userID) {
            case .contactAlreadyExists(_, let contact):
                connecting -= 1
                printer.say("You are connected to \(printer.name(contact.localDisplayName)) already.")
                try await openChat(.direct(contact: contact))
            case .sentConfirmation, .sentInvitation, .startedConnectionToContact, .startedConnectionToGroup:
                printer.say("Connecting …")
                // A script continues when the contact is there; a person sees it when it is.
                if !TerminalInput.isTerminal { try await waitForConnection(within: .seconds(60)) }
            case .connectionPlan(_, _, _, _, .groupLink(.known(let group, _, _, _))):
                connecting -= 1
                printer.say("You are in \(printer.title(of: group)) already.")
                try await openChat(.group(groupInfo: group, scope: nil))
            case .connectionPlan(_, _, _, _, .contactAddress(.known(let contact))), .connectionPlan(_, _, _, _, .invitationLink(.known(let contact))):
                connecting -= 1
                printer.say("You are connected to \(printer.name(contact.localDisplayName)) already.")
                try await openChat(.direct(contact: contact))
            case .connectionPlan:
                connecting -= 1
                printer.say("Connecting by this link has begun before.")
            default: connecting -= 1
            }
        } catch {
            connecting = max(0, connecting - 1)
            throw error
        }
    }

    func invite() async throws {
        guard case .invitation(_, let link, _) = try await core.send(.connections(.add(user: user.userID)), as: user.userID) else {
            throw Outcome.Failed("core.invalidResponse", description: "no link was made")
        }
        connecting += 1
        show(link)
    }

    func showAddress() async throws {
        if let link = try await existingAddress() { return show(link) }
        guard case .userContactLinkCreated(_, let link) = try await core.send(.address(.create(user: user.userID)), as: user.userID) else {
            throw Outcome.Failed("core.invalidResponse", description: "no address was made")
        }
        show(link)
    }

    private func existingAddress() async throws(ChatCoreError) -> CreatedConnectionLink? {
        do throws(ChatCoreError) {
            guard case .userContactLink(_, let link) = try await core.send(.address(.show(user: user.userID)), as: user.userID) else {
                return nil
            }
            return link.connectionLink
        } catch {
            guard error.isAddressNotFound else { throw error }
            return nil
        }
    }

    func list() async throws {
        let chats = try await chats()
        if chats.isEmpty { printer.say("No chats yet. Connect to somebody: :connect LINK") }
        for chat in chats { printer.show(try await withLastItem(chat)) }
    }

    func answerRequest(of name: String, accept: Bool) async throws {
        if try await answerPendingMember(name, accept: accept) { return }
        let found = try await chats().compactMap { chat -> UserContactRequestID? in
            switch chat.chatInfo {
            case .contactRequest(let request) where request.localDisplayName == name: request.contactRequestID
            case .direct(let contact) where contact.localDisplayName == name: contact.contactRequestID
            default: nil
            }
        }.first
        guard let request = found else { throw Outcome.BadInput("chat.noRequest", description: "\"\(VisibleText.line(name))\" has not asked to connect") }
        if accept {
            connecting += 1
            _ = try await core.send(.address(.accept(request)), as: user.userID)
        } else {
            _ = try await core.send(.address(.reject(request)), as: user.userID)
        }
    }

    /// Agrees on new keys with a contact, the open chat's if no name is given.
    func synchronize(_ name: String?) async throws {
        let reference: ChatReference?
        if let name { reference = try await chat(named: name).chatInfo.reference } else { reference = open }
        guard let reference, reference.type == .direct else {
            throw Outcome.BadInput("chat.noneOpen", description: "keys are agreed on with a contact: :sync NAME")
        }
        _ = try await core.send(.contacts(.syncRatchet(ContactID(reference.id), force: true)), as: user.userID)
        printer.say("Agreeing on new keys; messages continue when the contact is online.")
    }

    func delete(_ name: String) async throws {
        let info = try await chat(named: name).chatInfo
        guard let reference = info.reference else { return }
        _ = try await core.send(.chats(.delete(reference)), as: user.userID)
        if reference == open { closeChat() }
        printer.say("\(printer.name(info.localDisplayName)) is deleted.")
    }

    /// Contacts, groups and requests, the last active first. Notes to oneself have no name to call them by.
    func chats() async throws -> [Chat] {
        guard case .apiChats(_, let chats) = try await core.send(.chats(.list(user: user.userID)), as: user.userID) else { return [] }
        return chats.filter { !$0.chatInfo.localDisplayName.isEmpty }
    }

    /// The chat of a name; upper and lower case count only where they tell two chats apart. A name that begins with `#` is a group's, one
    /// that begins with `@` a contact's.
    func chat(named text: String, only kind: ChatType? = nil) async throws -> Chat {
        let signs: [Character: ChatType] = ["#": .group, "@": .direct]
        let kind = kind ?? text.first.flatMap { signs[$0] }, name = text.first.flatMap { signs[$0] } == nil ? text : String(text.dropFirst())
        let chats = try await chats().filter { kind == nil || $0.chatInfo.chatType == kind }
        if let chat = chats.first(where: { $0.chatInfo.localDisplayName == name }) { return chat }
        let similar = chats.filter { $0.chatInfo.localDisplayName.lowercased() == name.lowercased() }
        if similar.count == 1 { return similar[0] }
        let names = chats.prefix(Self.namesInErrors).map { "\"\(VisibleText.line($0.chatInfo.localDisplayName, limit: VisibleText.longestName))\"" }.joined(
            separator: ", ")
        throw Outcome.BadInput(
            "chat.unknown",
            description:
                "there is no chat \"\(VisibleText.line(name))\"; there are: \(names.isEmpty ? "none" : names)\(chats.count > Self.namesInErrors ? ", …" : "")")
    }
}
