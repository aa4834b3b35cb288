import ChatProtocol
import OfficialPeers
import ProcessSupport
import SMPAgent
import SMPClient
import SMPProtocol
import SMPWire
import TestSupport
import Testing

extension Interop {
    /// Notices of messages by protocol. No notification server is among the official programs here: Parley's client does what one does.
    @Suite struct Notifications {
        @Test(arguments: Implementation.allCases)
        func `The official client's queue gets a notifier with it, loses it and gets another, and the client reads the notices`(_ router: Implementation)
            async throws
        {
            try await seen(
                "notices: credentials in NEW, NKEY, NDEL, NSUB, NMSG", "to the official client, with Parley as its notification server", through: router
            ) {
                let carrier = try await router.router()
                let olga = try await OfficialClient.start("olga", .init(servers: [carrier.address]))
                let token = try await PushToken.give(to: olga)
                let pablo = try await ParleyParty("pablo", servers: [carrier.address])
                let listener = try NoticeListener(carrier)
                let link = try await olga.invitation()
                let first = try #require(try await OfficialNotifier(of: olga), "with NEW")
                try #require(try await listener.subscribe(first.id, key: first.key))
                _ = try await pablo.send("/c \(link.full)")
                let one = Side(party: olga, contact: try await olga.connected(to: pablo.name))
                let two = Side(party: pablo, contact: try await pablo.connected(to: olga.name))
                try await notify(one, of: "one", from: two, by: first, listener, token, carrier)

                // The client has the token in use only after its app has registered.
                try await token.activate(in: olga)
                _ = try await olga.send(#"/_settings @\#(one.contact) {"enableNtfs":"none","favorite":false}"#)
                try await eventually("the notifier is gone") { try await !listener.subscribe(first.id, key: first.key) }
                _ = try await olga.send(#"/_settings @\#(one.contact) {"enableNtfs":"all","favorite":false}"#)
                var second: OfficialNotifier?
                try await eventually("there is another notifier") {
                    second = try await OfficialNotifier(of: olga)
                    return second != nil
                }
                let notifier = try #require(second)
                try #require(notifier.id != first.id)
                try #require(try await listener.subscribe(notifier.id, key: notifier.key))
                try await notify(one, of: "two", from: two, by: notifier, listener, token, carrier)
                await listener.close()
                await olga.stop()
                try await pablo.leave()
                await carrier.end(.kill)
            }
        }

        /// Sends a message to a client that is away, and sees that the notice is of that message.
        private func notify(
            _ recipient: Side, of text: String, from sender: Side, by notifier: OfficialNotifier, _ listener: NoticeListener,
            _ token: PushToken, _ router: any Router
        ) async throws {
            let client = try #require(recipient.party as? OfficialClient)
            await client.stop()
            try await sender.say(text)
            // Those of messages that came before, to connect, may be first.
            var notice = try await listener.notice(of: notifier.id)
            try await client.start()
            let item = try await recipient.hear(text)
            let time = try #require(item["meta"]?["itemTs"]?.stringValue)
            var shown = try await token.show(notice, of: router, to: client)
            while shown["expectedMsg_"]?["msgTs"]?.stringValue != time {
                notice = try await listener.notice(of: notifier.id)
                shown = try await token.show(notice, of: router, to: client)
            }
            let id = try notifier.open(notice).id
            try #require(shown["expectedMsg_"]?["msgId"]?.stringValue == "\(id)", "\(shown)")
            try #require(shown["connEntity"]?["contact"]?["contactId"]?.intValue == recipient.contact, "\(shown)")
        }

        @Test(arguments: Implementation.allCases) func `An agent's queue gets a notifier, and a notice of what the official client sends`(
            _ router: Implementation
        ) async throws {
            try await seen("notices: NKEY, NDEL, NSUB, NMSG", "official → Parley, with Parley as the notification server", through: router) {
                let carrier = try await Stage.shared.router(router)
                let agent = try await AgentParty(carrier)
                let created = try await agent.agent.createConnection(user: agent.user, mode: .contact)
                let notifier = try #require(try await agent.agent.enableNotifications(of: created.id).first)
                let listener = try NoticeListener(carrier)
                let (id, key) = (notifier.notifierID, notifier.privateKey)
                try #require(try await listener.subscribe(id, key: key))
                let olga = try await Implementation.official.party("olga", servers: [carrier.address])
                try await olga.send("/c \(created.link.wireString)")
                let notice = try await listener.notice(of: id)
                let meta = try notifier.open(notice.body, nonce: notice.nonce)
                try #require(!meta.id.bytes.isEmpty)
                _ = try await agent.notifications.first("the request", within: .seconds(60)) { notification -> Bool? in
                    guard case .request = notification.event, notification.connection == created.id else { return nil }
                    return true
                }
                try await agent.agent.disableNotifications(of: created.id)
                try #require(try await !listener.subscribe(id, key: key))
                await listener.close()
                await agent.close()
                try await olga.leave()
            }
        }
    }
}
