internal import ChatProtocol
internal import Foundation
internal import SMPTransport

/// Issues a router's certificate anew, whether it runs or not.
struct CertificateRenewal {
    let folder: String
    /// For how many days it is issued; nil: without end.
    let days: Int?
    let control: ControlClient
    let json: Bool

    /// The key of an identity that is kept elsewhere.
    static func key(_ path: String?) throws -> AuthorityKey? {
        try path.map { path in try reporting { () throws(ConnectionError) in try AuthorityKey(contentsOf: path) } }
    }

    /// - Parameter key: nil for the one in the folder.
    func run(_ key: AuthorityKey?) throws {
        if let key { try renew(key) }
        do {
            let answer = try control.ask("renew")
            Output.line(json ? String(decoding: answer, as: UTF8.self) : "The certificate was renewed, and the router shows it.")
        } catch let error as Outcome.Failed where error.code == "router.notRunning" {
            if key == nil { try renew(nil) }
            if json { Output.line(["renewed": true]) } else { Output.line("The certificate was renewed. No router runs in \(folder).") }
        }
    }

    private func renew(_ key: AuthorityKey?) throws {
        _ = try Self.reporting { () throws(ConnectionError) in
            try ServerCredential.renew(in: folder, authorityKey: key, lifetime: days.map { .days($0) } ?? .unlimited)
        }
    }

    private static func reporting<Result>(_ work: () throws(ConnectionError) -> Result) throws -> Result {
        do throws(ConnectionError) {
            return try work()
        } catch {
            throw Outcome.Failed("router.certificate", description: error.message)
        }
    }
}
