import HTTPEndpoint
package import NIOCore
package import RouterSupport
package import SMPProtocol
import SMPTransport
import SMPWire

/// A resolver beside the router, which answers `GET /resolve/NAME` with a record in JSON (simplex-messaging.md, "Resolver commands").
///
/// What is looked up travels as plain text, so the resolver must be on the same machine or in the same private network.
package struct HTTPNameResolver: NameResolver {
    /// The longest time for an answer.
    package static let timeout = TimeAmount.seconds(10)

    package let host: String
    package let port: Int
    /// Before `/resolve`; without a slash at its end.
    package let path: String
    private let timeout: TimeAmount

    /// - Parameter address: `http://127.0.0.1:8000`.
    /// - Throws: ``RouterError`` `invalidConfiguration` for an address that is not of that form, or that the internet reaches.
    package init(_ address: String, timeout: TimeAmount = Self.timeout) throws(RouterError) {
        guard let (host, port, path) = Self.parts(of: address) else {
            throw RouterError(.invalidConfiguration, "the resolver of names is \(address): it must be like http://127.0.0.1:8000")
        }
        let isNear = host == "localhost" || IPAddress(parsing: host).map { !$0.isPublic } ?? false
        guard isNear else {
            throw RouterError(
                .invalidConfiguration,
                "the resolver of names is \(host): give an address of this machine or of a private network, as everybody on the way could read the names")
        }
        self.host = host
        self.port = port
        self.path = path
        self.timeout = timeout
    }

    private static func parts(of address: String) -> (host: String, port: Int, path: String)? {
        let scheme = "http://"
        guard address.hasPrefix(scheme), address.unicodeScalars.allSatisfy({ $0.isASCII && $0 > " " && $0 != "?" && $0 != "#" && $0 != "@" }) else {
            return nil
        }
        let rest = address.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(authority.count)
        // An IPv6 address stands in brackets, and has colons of its own.
        let isBracketed = authority.hasPrefix("[")
        let host = isBracketed ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        var port = authority.dropFirst(host.count + (isBracketed ? 2 : 0))
        if port.isEmpty { port = ":80" }
        guard !host.isEmpty, !isBracketed || authority.contains("]"), port.hasPrefix(":"), let number = UInt16(port.dropFirst()), number > 0 else { return nil }
        return (String(host), Int(number), path.hasSuffix("/") ? String(path.dropLast()) : String(path))
    }

    package func resolve(_ domain: SimpleXDomain) async -> Result<NameRecord, NameResolutionError> {
        // A name has no characters that a path could not have.
        let request = HTTPGet(host: host, port: port, target: "\(path)/resolve/\(domain.fullName)", limit: NameRecord.limit, timeout: timeout)
        do throws(HTTPGet.Failure) {
            let answer = try await request.perform()
            switch answer.status {
            case 200..<300:
                guard let record = try? NameRecord(json: answer.body) else { return .failure(.resolver("invalid response")) }
                return .success(record)
            case 400, 404: return .failure(.notFound)
            default: return .failure(.resolver("HTTP \(answer.status)"))
            }
        } catch {
            switch error {
            case .timeout: return .failure(.resolver("timeout"))
            case .tooLarge: return .failure(.resolver("response too large"))
            case .malformed: return .failure(.resolver("invalid response"))
            case .connection: return .failure(.resolver("transport failure"))
            }
        }
    }
}
