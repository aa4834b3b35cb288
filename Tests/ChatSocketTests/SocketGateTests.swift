import ChatProtocol
import NIOHTTP1
import SMPWire
import Testing

@testable import ChatSocket

@Suite("Decisions about requests to the API") struct SocketGateTests {
    private static let secret = "0123456789abcdef+/="

    private func gate(token: Bool = false, isLocal: Bool = true) throws -> SocketGate {
        SocketGate(version: .newest, token: token ? try SocketToken(Bytes(Self.secret.utf8)) : nil, isLocal: isLocal)
    }

    private func request(
        _ target: String, _ headers: HTTPHeaders = [:], upgrade: Bool = true, method: HTTPMethod = .GET, host: String = "127.0.0.1:5225"
    ) -> HTTPRequestHead {
        var all = headers
        all.add(name: "Host", value: host)
        if upgrade { all.add(name: "Upgrade", value: "WebSocket") }
        return HTTPRequestHead(version: .http1_1, method: method, uri: target, headers: all)
    }

    private func status(_ decision: SocketGate.Decision) -> UInt? { if case .refusal(let status, _) = decision { status.code } else { nil } }

    @Test(
        "The version and the last event are those of the query",
        arguments: [
            ("/", APIVersion.newest, nil), ("/?api-version=6.5", .v65, nil), ("/?since=0", .newest, 0), ("/x?since=17&api-version=6.5", .v65, 17),
            ("/?x=1&since=9223372036854775807", .newest, .max),
        ] as [(String, APIVersion, Int64?)])
    func query(_ target: String, _ version: APIVersion, _ since: Int64?) throws {
        #expect(try gate().decision(on: request(target)) == .upgrade(version, since: since))
    }

    @Test("What cannot be meant is a bad request", arguments: ["/?api-version=8", "/?since=", "/?since=-1", "/?since=x", "/?since=9223372036854775808"])
    func badQuery(_ target: String) throws { #expect(status(try gate().decision(on: request(target))) == 400) }

    @Test(
        "A token comes in the header or in the query",
        arguments: [
            ("/", ["Authorization": "Bearer 0123456789abcdef+/="]), ("/", ["authorization": "bearer   0123456789abcdef+/="]),
            ("/?token=0123456789abcdef+/=", [:]), ("/?token=0123456789abcdef%2B%2f%3D", [:]),
        ] as [(String, HTTPHeaders)])
    func token(_ target: String, _ headers: HTTPHeaders) throws {
        #expect(try gate(token: true).decision(on: request(target, headers)) == .upgrade(.newest, since: nil))
        let health = target.replacing("/", with: "/healthz", maxReplacements: 1)
        #expect(try gate(token: true).decision(on: request(health, headers, upgrade: false)) == .health(isDetailed: true))
        // A client that presents one where none is required is let in as without it.
        #expect(try gate().decision(on: request(target, headers)) == .upgrade(.newest, since: nil))
    }

    @Test(
        "A wrong or missing token is refused",
        arguments: [
            ("/", [:]), ("/?token=", [:]), ("/?token=0123456789abcdef+/", [:]), ("/?token=0123456789abcdef+/=x", [:]), ("/", ["Authorization": "Bearer"]),
            ("/", ["Authorization": "Basic 0123456789abcdef+/="]), ("/", ["Authorization": "0123456789abcdef+/="]),
            ("/?token=0123456789abcdef+/=", ["Authorization": "Bearer 0123456789abcdef+/X"]), ("/?Token=0123456789abcdef+/=", [:]),
        ] as [(String, HTTPHeaders)])
    func noToken(_ target: String, _ headers: HTTPHeaders) throws {
        #expect(status(try gate(token: true).decision(on: request(target, headers))) == 401)
    }

    @Test("The health check has no details for those without the token, and none for those with a wrong one")
    func health() throws {
        let gate = try gate(token: true)
        #expect(gate.decision(on: request("/healthz", upgrade: false)) == .health(isDetailed: false))
        #expect(gate.decision(on: request("/healthz", upgrade: false, method: .HEAD)) == .health(isDetailed: false))
        #expect(status(gate.decision(on: request("/healthz?token=x", upgrade: false))) == 401)
        #expect(try self.gate().decision(on: request("/healthz", upgrade: false)) == .health(isDetailed: true))
        #expect(status(gate.decision(on: request("/healthz", upgrade: false, method: .POST))) == 405)
        #expect(status(gate.decision(on: request("/health", upgrade: false))) == 426)
    }

    @Test("Pages in a browser get nothing, neither by their origin nor by a domain that resolves to this machine")
    func browsers() throws {
        let origin: HTTPHeaders = ["Origin": "https://evil.example"]
        for gate in [try gate(), try gate(token: true), try gate(isLocal: false)] {
            #expect(status(gate.decision(on: request("/?token=\(Self.secret)", origin))) == 403)
            #expect(status(gate.decision(on: request("/healthz", origin, upgrade: false))) == 403)
        }
        #expect(status(try gate().decision(on: request("/healthz", upgrade: false, host: "evil.example"))) == 421)
        #expect(try gate(isLocal: false).decision(on: request("/healthz", upgrade: false, host: "api.example.org")) == .health(isDetailed: true))
    }

    @Test(
        "A token has 16 to 1,024 letters, digits and signs of URLs",
        arguments: [
            ("", "it is empty"), ("short", "16 to 1024"), (String(repeating: "x", count: 1025), "16 to 1024"), ("0123456789abcde f", "letters, digits"),
            ("0123456789abcdefü", "letters, digits"), ("0123456789abcdef\n", "letters, digits"),
        ])
    func tokens(_ text: String, _ reason: String) {
        #expect {
            _ = try SocketToken(Bytes(text.utf8))
        } throws: {
            "\($0)".contains(reason)
        }
    }

    @Test(
        "Escapes of a query are read, and what is none stands for itself",
        arguments: [
            ("a%2Bb", "a+b"), ("%41%zz%4", "A%zz%4"), ("%", "%"), ("", ""), ("%25", "%"),
        ])
    func escapes(_ value: String, _ expected: String) {
        #expect(SocketQuery.decoded(value[...]) == Bytes(expected.utf8))
    }
}
