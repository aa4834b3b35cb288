import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPProtocol
import SMPWire

/// Publication of profiles behind the links of their addresses.
struct AddressPublisher: Sendable {
    let transactions: TransactionRunner
    let agent: any AgentService
    let locks: KeyedLock<String>

    /// Publishes a profile and its welcome message behind the link of its address.
    ///
    /// - Returns: The address; nil if there is none any more.
    @discardableResult
    func publish(of user: User) async throws(ChatCoreError) -> UserContactLink? {
        // One after another, so that the last setting stays.
        try await locks.withLock("address \(user.userID)") { () throws(ChatCoreError) in try await publishNow(user) }
    }

    private func publishNow(_ user: User) async throws(ChatCoreError) -> UserContactLink? {
        let found = try await transactions.query { transaction -> (User, UserContactLink, ConnectionRecord)? in
            guard let user = try transaction.db.users.find(user.userID), let address = try transaction.db.addresses.find(ofUser: user.userID),
                let connection = try transaction.db.connections.find(ofAddress: address.userContactLinkID)
            else { return nil }
            return (user, address, connection)
        }
        guard let (user, address, connection) = found else { return nil }
        let settings = address.addressSettings
        guard let data = user.addressData(message: settings.autoReply, isBusiness: settings.isBusinessAddress) else {
            throw ChatCoreError(AgentError(.command(.large, context: "link data")))
        }
        let short = try await agent.reporting { agent throws(AgentError) in
            try await agent.setShortLink(
                ConnectionID(connection.agentConnectionID), linkData: .contact(UserContactData(userData: data)), clientData: nil)
        }
        return try await transactions.transaction { transaction in
            try transaction.db.addresses.update(
                address.userContactLinkID, shortLink: (user.addressLink(short) ?? short).with(scheme: .server).wireString, at: transaction.now)
            return try transaction.db.addresses.find(address.userContactLinkID)
        }
    }

    /// Publishes the address of the profile that the agent knows under this id.
    func publish(agentUser: AgentUserID) async throws(ChatCoreError) {
        guard let user = try await transactions.query({ try $0.db.users.find(agentID: agentUser) }) else { return }
        try await publish(of: user)
    }
}
