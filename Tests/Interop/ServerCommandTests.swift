import ChatProtocol
import OfficialPeers
import ProcessSupport
import TestSupport
import Testing

extension Interop {
    /// `parley api` and the official client, driven over the same socket by the same commands about servers, operators and the network.
    @Suite struct ServerCommands {
        @Test(arguments: Implementation.allCases) func `Commands about servers and the network are answered alike`(_ router: Implementation) async throws {
            try await seen(
                "`parley api`: commands about servers, operators, conditions and the network answered in the same shapes", "the same commands to both programs",
                through: router
            ) {
                let server = try await Stage.shared.router(router).address
                let official = try await client(.simplexChat, server), parley = try await client(.parley(ParleyProgram.path), server)
                _ = try await parley.send(#"/_create user {"profile":{"displayName":"olga","fullName":""},"pastTimestamp":false,"userChatRelay":false}"#)
                _ = try await parley.send("/_start")
                let shown = try await official.send("/network")["networkConfig"]
                var config = try #require(shown?.objectValue)
                config["hostMode"] = "public"
                config["sessionMode"] = "user"
                let other = "smp://NQcFNezxnRvnm-HgNh60b4MyClQ4Z0ConemWw7eS9yI=@127.0.0.2:1"
                let lists = (try await servers(of: official, with: other), try await servers(of: parley, with: other))
                for command in [
                    "/_servers 1", "/smp", "/_server test 1 \(server)", "/smp test \(other)", "/_validate_servers 1 $SERVERS", "/_servers 1 $SERVERS",
                    "/_servers 99", "/_operators", "/operators 7:on", "/_conditions", "/_conditions_notified 2", "/_accept_conditions 99 1", "/relays",
                    "/network", "/_network \(JSONValue.object(config).text)", "/network",
                    "/network socks=off smp-proxy=unknown smp-proxy-fallback=no timeout=9",
                    "/_network {}", "/_network info {\"networkType\":\"wifi\",\"online\":true}", "/smp \(server)", "/_servers 1",
                ] {
                    let one = try await answer(official, command.replacing("$SERVERS", with: lists.0))
                    let two = try await answer(parley, command.replacing("$SERVERS", with: lists.1))
                    let differences = Shape.differences(one, two)
                    try #require(differences.isEmpty, "\(command): \(differences.joined(separator: "; "))")
                }
                let link = try #require(try await official.send("/_connect 1")["connLinkInvitation"]?["connFullLink"]?.stringValue)
                _ = try await parley.send("/c \(link)")
                for client in [official, parley] { try await client.event("contactConnected") }
                for command in [
                    "/get subs", "/get subs details", "/get subs total 1", "/get servers summary 1", "/reset servers stats",
                    "/reconnect 1 \(server)", "/reconnect", "/debug locks", "/_connections diff",
                ] {
                    let (one, two) = (try await answer(official, command), try await answer(parley, command))
                    let differences = Shape.differences(Self.withoutHeldLocks(one), Self.withoutHeldLocks(two))
                    try #require(differences.isEmpty, "\(command): \(differences.joined(separator: "; "))")
                }
                // Subscriptions are taken up again.
                try await eventually("subscribed again") {
                    try await parley.send("/get subs total 1")["subsTotal"] == ["ssActive": 1, "ssPending": 0]
                }
                // What was set is the same, word by word.
                let (one, two) = (try await official.send("/network"), try await parley.send("/network"))
                try #require(one == two)
                await official.stop()
                await parley.stop()
            }
        }

        /// Which locks are held is of the moment, and is not compared.
        private static func withoutHeldLocks(_ answer: JSONValue) -> JSONValue {
            guard let object = answer.objectValue else { return answer }
            return .object(
                JSONObject(
                    object.members.map { key, value in
                        (key, ["chatEntityLocks", "connLocks", "invLocks"].contains(key) ? [:] : withoutHeldLocks(value))
                    }))
        }

        private func client(_ program: OfficialClient.Program, _ server: String) async throws -> OfficialClient {
            var options = OfficialClient.Options(servers: [server])
            options.program = program
            // Named so that the official client does not take the public ones; nothing is sent there.
            options.fileServers = ["xftp://NQcFNezxnRvnm-HgNh60b4MyClQ4Z0ConemWw7eS9yI=@127.0.0.1:2"]
            if case .parley = program { options.arguments = ["--api-version", try await peersKnowRosters() ? "7.0-beta" : "6.5"] }
            return try await OfficialClient.start("olga", options)
        }

        /// The servers of the profile and one more, as a command takes them.
        private func servers(of client: OfficialClient, with other: String) async throws -> String {
            var groups = try #require(try await client.send("/_servers 1")["userServers"]?.arrayValue)
            var last = try #require(groups.last?.objectValue)
            let new: JSONValue = ["server": .string(other), "preset": false, "enabled": true, "deleted": false]
            last["smpServers"] = .array((last["smpServers"]?.arrayValue ?? []) + [new])
            groups[groups.count - 1] = .object(last)
            return JSONValue.array(groups).text
        }

        /// The answer to a command, also one that is a refusal.
        private func answer(_ client: OfficialClient, _ command: String) async throws -> JSONValue {
            do {
                return try await client.send(command)
            } catch let error as PeerError where error.code == .refused {
                return try #require(error.response)
            }
        }
    }
}
