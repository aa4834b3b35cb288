internal import ArgumentParser
internal import ChatSocket

/// Options of `parley api` about its socket and who can use it.
struct ListenOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "The port on 127.0.0.1; 0 for any that is free. [default: 5225]")
    var port: Int?

    @Option(
        help: ArgumentHelp(
            "Where to listen, instead of --port: HOST:PORT, [IPv6]:PORT or unix:PATH. Beyond this machine, --token-file is required.",
            valueName: "host:port"))
    var listen: String?

    @Option(
        help: ArgumentHelp(
            "The file with the token that programs send as Authorization: Bearer TOKEN, or as ?token=TOKEN in the URL.", valueName: "file"),
        completion: .file())
    var tokenFile: String?

    @Flag(
        name: .customLong("insecure-no-token"),
        help: "Listen beyond this machine without a token: everybody who reaches the port reads and writes all messages.")
    var allowsStrangers = false

    private static let standardPort = 5225

    func validate() throws {
        if port != nil, listen != nil { throw ValidationError("--port and --listen both name the port: give one of them") }
        if tokenFile != nil, allowsStrangers { throw ValidationError("--insecure-no-token means nothing with --token-file: leave one out") }
        let endpoint = try endpoint(other: nil)
        if case .tcp(_, let port) = endpoint, !(0...65_535).contains(port) {
            throw ValidationError("--port \(port) is not a port: it is a number up to 65535")
        }
        guard endpoint.isLocal || tokenFile != nil || allowsStrangers else {
            throw ValidationError(
                "--listen \(listen ?? "") lets other machines in: add --token-file FILE with a secret that programs send (openssl rand -hex 32 > FILE), or listen on 127.0.0.1. --insecure-no-token listens without one"
            )
        }
    }

    /// The place to listen.
    ///
    /// - Parameter other: the port of `--chat-server-port`.
    /// - Throws: `ValidationError`.
    func endpoint(other: Int?) throws -> SocketEndpoint {
        if let listen {
            guard other == nil else { throw ValidationError("--listen and --chat-server-port both name the port: give one of them") }
            do throws(SocketEndpoint.Fault) {
                return try SocketEndpoint(parsing: listen)
            } catch {
                throw ValidationError("--listen \(error)")
            }
        }
        if let other, let port, other != port { throw ValidationError("--port and --chat-server-port are the same option: give one") }
        let port = other ?? port ?? Self.standardPort
        guard (0...65_535).contains(port) else { throw ValidationError("--port \(port) is not a port: it is a number up to 65535") }
        return .loopback(port: port)
    }

    /// The token of the file; nil without one.
    func token() throws(Outcome.BadInput) -> SocketToken? { try tokenFile.map { path throws(Outcome.BadInput) in try TokenFile.read(path) } }
}
