import SMPProtocol
import Testing

@testable import ChatRules

@Suite("The hosts in the address of a router")
struct RouterHostTests {
    private static let fingerprint = "0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU="

    @Test(
        "an address names its hosts, with or without a port and a password",
        arguments: [
            ("smp://FP@a.example", ["a.example"]), ("smp://FP@a.example:5223", ["a.example"]), ("xftp://FP:secret@a.example:443", ["a.example"]),
            ("smp://FP@a.example,b.example:5223", ["a.example", "b.example"]), ("smp://FP@127.0.0.1:0", ["127.0.0.1"]),
            ("smp://FP@[::1]", ["[::1]"]), ("smp://FP@[::1]:5223", ["[::1]"]),
        ])
    func hosts(address: String, hosts: [String]) throws {
        let parsed = try #require(RouterHosts.parse(address.replacing("FP", with: Self.fingerprint)))
        #expect(try parsed == hosts.map { try TransportHost(parsing: $0) })
    }

    @Test(
        "what is no address names no hosts",
        arguments: [
            "", "smp://", "a.example", "smp:FP@a.example", "smp://a.example", "smp://@a.example", "smp://AAAA@a.example", "smp://FP@", "smp://FP@a.example:",
            "smp://FP@a.example:65536", "smp://FP@a.example:x", "smp://FP@a.example,", "smp://FP@,a.example", "smp://FP@a.example,,b.example",
            "smp://FP@:5223",
        ])
    func none(address: String) { #expect(RouterHosts.parse(address.replacing("FP", with: Self.fingerprint)) == nil) }

    @Test(
        "a host belongs to its own domain and those above it, and to none that only looks alike",
        arguments: [
            ("simplex.im", true), ("smp1.simplex.im", true), ("a.b.simplex.im", true), ("notsimplex.im", false), ("simplex.im.example", false), ("im", false),
            ("127.0.0.1", false), ("[::1]", false),
        ])
    func domains(host: String, belongs: Bool) throws { #expect(try TransportHost(parsing: host).belongs(to: "simplex.im") == belongs) }
}
