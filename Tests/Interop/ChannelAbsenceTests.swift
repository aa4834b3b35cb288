import ChatProtocol
import ProcessSupport
import TestSupport
import Testing

extension Interop {
    /// Subscribers of a channel who are away.
    @Suite struct ChannelAbsence {
        /// The refusals for a full queue after which a relay takes a subscriber for inactive: about one for each absence.
        private static let refusals = 5

        @Test(arguments: Implementation.allCases)
        func `A subscriber whose queue was full gets each post of that time once`(_ owner: Implementation) async throws {
            let feature = "channel: posts of the time in which subscribers' queues were full, sent to them afterwards"
            try await seen(feature, "owner \(owner), relay Parley", through: .parley) {
                let router = try await ParleyRouter(messageQuota: 4)
                let channel = try await Broadcast.prepare(ownedBy: owner, relayedBy: [.parley], server: router.address)
                try await channel.subscribeAll()
                var texts: [String] = []
                var wereInactive: Set<String> = []
                for absence in 1...2 * Self.refusals where wereInactive.count < channel.subscribers.count {
                    for party in channel.subscribers { try await party.leave() }
                    for number in 1...8 {
                        let text = "post \(number) of absence \(absence)"
                        texts.append(text)
                        try await channel.post(text)
                        // One after another: the relay packs what comes at once into one body.
                        try await channel.hear(text, as: channel.relays[0])
                        // The last ones are posted while they are inactive.
                        if 5..<8 ~= number { wereInactive.formUnion(try await inactiveSubscribers(of: channel)) }
                    }
                    for party in channel.subscribers { try await party.comeBack() }
                    for party in channel.subscribers { try await expect(texts, at: party, of: channel) }
                }
                try #require(wereInactive == Set(channel.subscribers.map(\.name)))
                try await channel.close()
                await router.end(.interrupt)
            }
        }

        /// The names of those who get nothing from the relay.
        private func inactiveSubscribers(of channel: Broadcast) async throws -> [String] {
            try await channel.members(at: channel.relays[0]).compactMap { member in
                let refusals = member["activeConn"]?["quotaErrCounter"]?.intValue ?? 0
                return refusals >= Self.refusals ? member["memberProfile"]?["displayName"]?.stringValue : nil
            }
        }

        private func expect(_ texts: [String], at party: any Party, of channel: Broadcast) async throws {
            try await eventually("\(party.name) has \(texts.count) posts", within: .seconds(60), every: .milliseconds(100)) {
                try await channel.texts(at: party, count: 200).count >= texts.count
            }
            let received = try await channel.texts(at: party, count: 200)
            try #require(received == texts, "\(party.name)")
        }
    }
}
