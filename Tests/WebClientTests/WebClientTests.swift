import SMPTransport
import SMPWire
import Testing

@testable import WebClient

/// Requests to servers of the web.
@Suite(.timeLimit(.minutes(5))) struct WebClientTests {
    private static func client(
        trusting server: RawServer? = nil, proxy: WebProxy? = nil, allowsLocal: Bool = true, _ change: (inout WebClient.Limits) -> Void = { _ in }
    ) -> WebClient {
        var limits = WebClient.Limits()
        limits.duration = .seconds(120)
        limits.patience = .seconds(60)
        change(&limits)
        let authorities = server.map { $0.authority.map { [$0] } ?? [] }
        return WebClient(limits: limits, allowsLocalAddresses: allowsLocal, proxy: proxy, tls: WebTLSSource { try WebTLS(authorities: authorities) })
    }

    private static func code(_ body: () async throws -> Void) async -> WebError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? WebError)?.code
        }
    }

    @Test func aRequestHasItsPartsAndTheAnswerTheRest() async throws {
        let server = try await RawServer.start { _ in .ok("hello", headers: "X-Two: 1\r\nx-two: 2\r\n") }
        let request = WebRequest(
            "POST", "http://user:pass@127.0.0.1:\(server.port)/a%20b?q=%C3%A4", headers: ["Content-Type": "text/plain"], body: Array("body".utf8))
        let (response, body) = try await Self.client().send(request)
        #expect(response.status == 200 && body == Array("hello".utf8))
        #expect(response["X-TWO"] == "1" && response.headers.filter { $0.name.lowercased() == "x-two" }.count == 2)
        let sent = try #require(server.requests.first)
        #expect(sent.hasPrefix("POST /a%20b?q=%C3%A4 HTTP/1.1\r\n") && sent.hasSuffix("\r\n\r\nbody"))
        #expect(sent.contains("Host: 127.0.0.1:\(server.port)\r\n") && sent.contains("Content-Length: 4\r\n"))
        #expect(sent.contains("Authorization: Basic dXNlcjpwYXNz\r\n"))
        await server.stop()
    }

    @Test(arguments: [
        "ftp://a.example", "a.example", "", "https://", "https:///x", "http://a b/", "http://a.example/\r\nX: y", "http://a.example:0/",
        "http://a.example:65536/",
        "https://a.example /x", "file:///etc/passwd", "http://a%2Fb/",
    ])
    func anAddressThatIsNoneIsRefusedBeforeAnythingIsSent(_ url: String) async {
        #expect(await Self.code { _ = try await Self.client().send(WebRequest(url)) } == .invalidRequest)
    }

    @Test func aHeaderFieldCannotContainAnother() async {
        for (name, value) in [("X", "a\r\nY: b"), ("X", "a\u{0}"), ("X Y", "a"), ("", "a"), ("X:", "a")] {
            #expect(await Self.code { _ = try await Self.client().send(WebRequest("GET", "http://127.0.0.1:1/", headers: [name: value])) } == .invalidRequest)
        }
        #expect(await Self.code { _ = try await Self.client().send(WebRequest("GET /x", "http://127.0.0.1:1/")) } == .invalidRequest)
    }

    @Test func aServerWithACertificateForItsNameIsTrustedAndNoOther() async throws {
        let authority = try CertificateAuthority.generate(commonName: "Authority", algorithm: .ed25519)
        let good = try await RawServer.start(credential: try authority.issue(commonName: "localhost")) { _ in .ok("secret") }
        let other = try await RawServer.start(credential: try authority.issue(commonName: "other.example")) { _ in .ok("secret") }
        let old = try await RawServer.start(
            credential: try authority.issue(commonName: "localhost", lifetime: CertificateLifetime(secondsBefore: 200_000, secondsAfter: -90_000))
        ) { _ in .ok("secret") }
        let answer = try await Self.client(trusting: good).send(WebRequest("https://localhost:\(good.port)/"))
        #expect(answer.body == Array("secret".utf8))
        for (server, client, host) in [
            (good, Self.client(), "localhost"), (good, Self.client(trusting: good), "127.0.0.1"), (other, Self.client(trusting: other), "localhost"),
            (old, Self.client(trusting: old), "localhost"),
        ] {
            #expect(await Self.code { _ = try await client.send(WebRequest("https://\(host):\(server.port)/")) } == .untrusted)
            #expect(server.requests.count == (server.port == good.port ? 1 : 0), "nothing is sent to a server that is not trusted")
        }
        // A server without TLS behind an address with it.
        let plain = try await RawServer.start { _ in .ok("") }
        let hasty = Self.client { $0.patience = .milliseconds(100) }
        #expect(await Self.code { _ = try await hasty.send(WebRequest("https://localhost:\(plain.port)/")) } == .timeout)
        #expect(plain.requests.isEmpty)
        for server in [good, other, old, plain] { await server.stop() }
    }

    @Test func aBodyEndsAtItsLimitHoweverItIsSent() async throws {
        let large = String(repeating: "x", count: 2_000)
        for answer in [
            RawServer.Answer.ok(large), .init("HTTP/1.1 200 OK\r\n\r\n\(large)"),
            .init("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n\(large)", closes: false),
            .init("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n\(large)\r\n0\r\n\r\n"),
        ] {
            let server = try await RawServer.start { _ in answer }
            let url = "http://127.0.0.1:\(server.port)/"
            #expect(await Self.code { _ = try await Self.client { $0.body = 1_999 }.send(WebRequest(url)) } == .tooLarge)
            if answer.closes { #expect(try await Self.client { $0.body = 2_000 }.send(WebRequest(url)).body.count == 2_000) }
            await server.stop()
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", WebError.Code.notReached), ("", .notReached),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", .notReached), ("SSH-2.0-OpenSSH\r\n\r\n", .malformed),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .malformed), ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", .malformed),
    ])
    func anAnswerThatIsNotWholeIsAnError(_ text: String, _ code: WebError.Code) async throws {
        let server = try await RawServer.start { _ in .init(text) }
        #expect(await Self.code { _ = try await Self.client().send(WebRequest("http://127.0.0.1:\(server.port)/")) } == code, "\(text)")
        await server.stop()
    }

    @Test func aServerThatIsSilentOrSlowIsGivenUp() async throws {
        let silent = try await RawServer.start { _ in .init("", closes: false) }
        let slow = try await RawServer.start { _ in .init("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhel", closes: false) }
        // The end of a connection that the client closes is not the end of such a body.
        let endless = try await RawServer.start { _ in .init("HTTP/1.1 200 OK\r\n\r\nhel", closes: false) }
        for server in [silent, slow, endless] {
            let url = "http://127.0.0.1:\(server.port)/"
            #expect(await Self.code { _ = try await Self.client { $0.patience = .milliseconds(50) }.send(WebRequest(url)) } == .timeout)
            #expect(await Self.code { _ = try await Self.client { $0.duration = .milliseconds(50) }.send(WebRequest(url)) } == .timeout)
        }
        // Nobody listens there.
        let closed = try await RawServer.start { _ in .ok("") }
        await closed.stop()
        #expect(await Self.code { _ = try await Self.client().send(WebRequest("http://127.0.0.1:\(closed.port)/")) } == .notReached)
        for server in [silent, slow, endless] { await server.stop() }
    }

    @Test func cancellingTheTaskEndsARequestAtOnce() async throws {
        for head in ["Content-Length: 10\r\n", ""] {
            let server = try await RawServer.start { _ in .init("HTTP/1.1 200 OK\r\n\(head)\r\nhel", closes: false) }
            let task = Task { try await Self.client().send(WebRequest("http://127.0.0.1:\(server.port)/")) }
            while server.requests.isEmpty { await Task.yield() }
            task.cancel()
            #expect(await Self.code { _ = try await task.value } == .cancelled)
            await server.stop()
        }
    }

    @Test func whoReadsOnlyTheBeginningDoesNotWaitForTheRest() async throws {
        let server = try await RawServer.start { _ in .init("HTTP/1.1 202 OK\r\nRetry-After: 7\r\n\r\n", closes: false) }
        let status = try await Self.client().withResponse(to: WebRequest("http://127.0.0.1:\(server.port)/")) { response, _ in
            (response.status, response["retry-after"])
        }
        #expect(status == (202, "7"))
        let parts = try await RawServer.start { _ in .init("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", closes: false) }
        let first = try await Self.client().withResponse(to: WebRequest("http://127.0.0.1:\(parts.port)/")) { _, body in
            for try await part in body { return part }
            return []
        }
        #expect(first == Array("ab".utf8))
        await server.stop()
        await parts.stop()
    }

    // MARK: Redirections

    @Test func redirectionsAreFollowedAsFarAsAllowedAndSecretsStayWithTheirServer() async throws {
        let last = try await RawServer.start { _ in .ok("there") }
        let first = try await RawServer.start { request in
            request.hasPrefix("GET /loop")
                ? .redirect(302, to: "/loop") : .redirect(request.hasPrefix("POST") ? 303 : 307, to: "http://127.0.0.1:\(last.port)/x")
        }
        let url = "http://127.0.0.1:\(first.port)", follows = Self.client { $0.redirects = 3 }
        #expect(try await Self.client().send(WebRequest(url + "/")).response.status == 307)
        let secret = ["Authorization": "Bearer key", "Cookie": "a=b", "Accept": "x"]
        let (response, body) = try await follows.send(WebRequest("GET", url + "/", headers: secret))
        #expect(response.url == "http://127.0.0.1:\(last.port)/x" && body == Array("there".utf8))
        let reached = try #require(last.requests.first)
        #expect(!reached.contains("Bearer") && !reached.contains("a=b") && reached.contains("Accept: x"))
        _ = try await follows.send(WebRequest("POST", url + "/", body: [1]))
        #expect(last.requests.last?.hasPrefix("GET /x") == true)
        #expect(await Self.code { _ = try await follows.send(WebRequest(url + "/loop")) } == .redirect)
        #expect(first.requests.filter { $0.hasPrefix("GET /loop") }.count == 4)
        await first.stop()
        await last.stop()
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://a.example/", "http://", "//", "http://a.example:99999/"])
    func aRedirectionToWhatIsNoAddressOfTheWebIsRefused(_ location: String) async throws {
        let server = try await RawServer.start { _ in .redirect(302, to: location) }
        #expect(await Self.code { _ = try await Self.client { $0.redirects = 3 }.send(WebRequest("http://127.0.0.1:\(server.port)/")) } == .redirect)
        await server.stop()
    }

    @Test func aRedirectionDoesNotLeaveTLS() async throws {
        let credential = try CertificateAuthority.generate(commonName: "Authority", algorithm: .ed25519).issue(commonName: "localhost")
        let plain = try await RawServer.start { _ in .ok("") }
        let server = try await RawServer.start(credential: credential) { _ in .redirect(302, to: "http://127.0.0.1:\(plain.port)/") }
        let client = Self.client(trusting: server) { $0.redirects = 3 }
        #expect(await Self.code { _ = try await client.send(WebRequest("https://localhost:\(server.port)/")) } == .redirect)
        #expect(plain.requests.isEmpty)
        await server.stop()
        await plain.stop()
    }

    // MARK: Local addresses

    @Test(arguments: ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254", "[::ffff:127.0.0.1]", "x.localhost", "192.168.1.1", "0.0.0.0"])
    func aClientThatRefusesThisMachineAndPrivateNetworksConnectsToNone(_ host: String) async {
        #expect(await Self.code { _ = try await Self.client(allowsLocal: false).send(WebRequest("http://\(host):1/")) } == .localAddress)
    }

    /// The proxy takes the part of the internet here: its answers may not redirect to a machine nearby.
    @Test func theInternetDoesNotRedirectToThisMachine() async throws {
        let near = try await RawServer.start { _ in .ok("secret") }
        let proxy = try await RawServer.start { _ in .redirect(302, to: "http://127.0.0.1:\(near.port)/") }
        let client = Self.client(proxy: WebProxy(environment: ["http_proxy": "http://127.0.0.1:\(proxy.port)"])) { $0.redirects = 3 }
        #expect(await Self.code { _ = try await client.send(WebRequest("http://news.example/feed")) } == .localAddress)
        #expect(near.requests.isEmpty && proxy.requests.first?.hasPrefix("GET http://news.example/feed HTTP/1.1\r\n") == true)
        await near.stop()
        await proxy.stop()
    }

    // MARK: Proxies

    @Test func aServerWithTLSIsReachedThroughAProxyThatReadsNothing() async throws {
        let credential = try CertificateAuthority.generate(commonName: "Authority", algorithm: .ed25519).issue(commonName: "hook.example")
        let proxy = try await RawServer.start(credential: credential, isTunnel: true) { request in
            request.hasPrefix("CONNECT ") ? .init("HTTP/1.1 200 Connected\r\nVia: x\r\n\r\n", startsTLS: true) : .ok("inside")
        }
        let client = Self.client(trusting: proxy, proxy: WebProxy(environment: ["HTTPS_PROXY": "http://u:p@127.0.0.1:\(proxy.port)"]))
        let (_, body) = try await client.send(WebRequest("https://hook.example/x"))
        #expect(body == Array("inside".utf8))
        #expect(proxy.requests.first?.hasPrefix("CONNECT hook.example:443 HTTP/1.1\r\n") == true)
        #expect(proxy.requests.first?.contains("Proxy-Authorization: Basic dTpw\r\n") == true)
        #expect(proxy.requests.last?.hasPrefix("GET /x HTTP/1.1\r\n") == true && proxy.requests.last?.contains("Proxy-Authorization") == false)
        await proxy.stop()
    }

    @Test(arguments: ["HTTP/1.1 403 Forbidden\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nx", "SSH-2.0\r\n\r\n", ""])
    func aProxyThatRefusesIsAnError(_ answer: String) async throws {
        let proxy = try await RawServer.start { _ in .init(answer) }
        let client = Self.client(proxy: WebProxy(environment: ["https_proxy": "127.0.0.1:\(proxy.port)"]))
        #expect(await Self.code { _ = try await client.send(WebRequest("https://hook.example/x")) } == .notReached)
        await proxy.stop()
    }

    @Test func theEnvironmentNamesProxiesAndWhatNeedsNone() throws {
        let proxy = WebProxy(environment: [
            "all_proxy": "socks5h://proxy:9050", "http_proxy": "http://web:3128", "HTTP_PROXY": "http://evil:1", "NO_PROXY": ".inside.example, near",
        ])
        func server(_ url: String) throws -> WebProxy.Server? { try proxy.server(for: try WebTarget(url)) }
        let secure = try #require(try server("https://a.example")), plain = try #require(try server("http://a.example"))
        #expect(secure.isSOCKS && secure.host == "proxy" && secure.port == 9_050)
        #expect(!plain.isSOCKS && plain.host == "web" && plain.port == 3_128)
        for url in ["https://inside.example", "https://x.inside.example", "http://near:80", "http://localhost", "https://127.0.0.1:8443", "http://[::1]/"] {
            #expect(try server(url) == nil, "\(url)")
        }
        #expect(try server("https://notinside.example") != nil)
        // One that cannot be used is not passed over: the request would go another way than its operator wants.
        let wrong = WebProxy(environment: ["https_proxy": "ftp://x"])
        #expect(throws: WebError.self) { try wrong.server(for: try WebTarget("https://a.example")) }
        #expect(try wrong.server(for: try WebTarget("http://a.example")) == nil)
    }
}
