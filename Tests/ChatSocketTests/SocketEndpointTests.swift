import Testing

@testable import ChatSocket

@Suite("Places where the API listens") struct SocketEndpointTests {
    @Test(
        "A place is a host with a port or the path of a socket",
        arguments: [
            ("127.0.0.1:5225", SocketEndpoint.tcp(host: "127.0.0.1", port: 5225), true, "ws://127.0.0.1:5225"),
            ("localhost:0", .tcp(host: "localhost", port: 0), true, "ws://localhost:0"),
            ("127.8.9.10:1", .tcp(host: "127.8.9.10", port: 1), true, "ws://127.8.9.10:1"),
            ("127.evil.example.org:1", .tcp(host: "127.evil.example.org", port: 1), false, "ws://127.evil.example.org:1"),
            ("[::1]:5225", .tcp(host: "::1", port: 5225), true, "ws://[::1]:5225"),
            ("0.0.0.0:65535", .tcp(host: "0.0.0.0", port: 65_535), false, "ws://0.0.0.0:65535"),
            ("[::]:80", .tcp(host: "::", port: 80), false, "ws://[::]:80"),
            ("parley:80", .tcp(host: "parley", port: 80), false, "ws://parley:80"),
            ("unix:/run/a b.sock", .unix(path: "/run/a b.sock"), true, "ws+unix:/run/a b.sock"),
        ])
    func places(_ text: String, _ endpoint: SocketEndpoint, _ isLocal: Bool, _ url: String) throws {
        let read = try SocketEndpoint(parsing: text)
        #expect(read == endpoint && read.isLocal == isLocal && read.url == url)
    }

    @Test(
        "What names no place is refused with its fix",
        arguments: [
            ("", "HOST:PORT"), ("5225", "HOST:PORT"), ("127.0.0.1", "HOST:PORT"), ("127.0.0.1:", "HOST:PORT"), ("127.0.0.1:x", "HOST:PORT"),
            ("127.0.0.1:-1", "HOST:PORT"), ("127.0.0.1:65536", "up to 65535"), ("127.0.0.1:99999999999999999999", "up to 65535"),
            (":5225", "0.0.0.0:5225"), ("::1:5225", "in brackets"), ("[127.0.0.1]:80", "only an IPv6 address"), ("[]:80", "only an IPv6 address"),
            ("ws://127.0.0.1:80", "in brackets"), ("a b:80", "not a name or address"), ("a/b:80", "not a name or address"),
            ("unix:", "names no socket"), ("unix:/run/", "names no socket"),
        ])
    func refusals(_ text: String, _ reason: String) {
        #expect {
            _ = try SocketEndpoint(parsing: text)
        } throws: {
            "\($0)".contains(reason)
        }
    }
}
