import SMPProtocol
import SMPRatchet
import SMPWire

/// An invitation at the versions that both sides support.
struct CompatibleInvitation: Sendable {
    let agentVersion: UInt16
    let queue: SMPQueueInfo
    /// The queues that are announced besides that one.
    let otherQueues: [SMPQueueInfo]
    let parameters: RatchetParameters

    /// nil if no version fits, or the link is not an invitation.
    init?(_ link: ConnectionRequestURI, _ configuration: AgentConfiguration) {
        guard case .invitation(let request, let offered) = link,
            let agentVersion = request.agentVersions.compatibleVersion(with: configuration.agentVersions),
            let queue = request.queues.first?.compatible(with: configuration.clientVersions),
            let ratchetVersion = offered.versions.compatibleVersion(with: configuration.ratchetVersions)
        else { return nil }
        self.agentVersion = agentVersion
        self.queue = queue
        otherQueues = request.queues.dropFirst().compactMap { $0.compatible(with: configuration.clientVersions) }
        parameters = RatchetParameters(offered, version: ratchetVersion)
    }
}

/// A contact address at the versions that both sides support.
struct CompatibleContact: Sendable {
    let agentVersion: UInt16
    let queue: SMPQueueInfo

    /// nil if no version fits, or the link is not a contact address.
    init?(_ link: ConnectionRequestURI, _ configuration: AgentConfiguration) {
        guard case .contact(let request) = link,
            let agentVersion = request.agentVersions.compatibleVersion(with: configuration.agentVersions),
            let queue = request.queues.first?.compatible(with: configuration.clientVersions)
        else { return nil }
        self.agentVersion = agentVersion
        self.queue = queue
    }
}

extension LinkCompatibility {
    /// nil if the link has no version that both sides support.
    init?(_ link: ConnectionRequestURI, pqSupport: Bool, _ configuration: AgentConfiguration) {
        let agentVersion: UInt16
        var ratchetVersion: UInt16?
        if let invitation = CompatibleInvitation(link, configuration) {
            (agentVersion, ratchetVersion) = (invitation.agentVersion, invitation.parameters.version)
        } else if let contact = CompatibleContact(link, configuration) {
            agentVersion = contact.agentVersion
        } else {
            return nil
        }
        self.init(
            agentVersion: agentVersion,
            pqSupport: pqSupport && ConnectionState.supportsPQ(agentVersion: agentVersion, ratchetVersion: ratchetVersion))
    }
}
