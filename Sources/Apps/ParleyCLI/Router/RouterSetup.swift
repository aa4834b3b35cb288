internal import ArgumentParser
internal import Foundation
internal import SMPCrypto
internal import SMPProtocol
internal import SMPWire

/// The questions and the output that the set-up of all kinds of routers shares.
enum RouterSetup {
    /// The clients that may create something on a router.
    enum Creators: String, ExpressibleByArgument, CaseIterable { case everyone, password, nobody }

    /// The names of the machine, asked for on a terminal if none is given.
    static func hosts(_ given: [String]) throws -> [String] {
        var names = given
        if names.isEmpty { names = [try ask("The name or address under which others reach this machine: ", option: "--host")] }
        for name in names where (try? TransportHost(wireString: name)) == nil {
            throw Outcome.BadInput(description: "--host: \"\(name)\" is not the name or the address of a host")
        }
        return names
    }

    /// Asks on a terminal; everyone if there is none.
    static func ask(_ question: String, option: String) throws -> Creators {
        guard isInteractive else { return .everyone }
        let answer: String = try ask("\(question) (everyone, password, nobody)? ", option: option)
        guard let who = Creators(rawValue: answer) else {
            throw Outcome.BadInput(description: "\"\(answer)\" is not one of everyone, password and nobody")
        }
        return who
    }

    /// The password that the environment gives, or a new one.
    static func password() throws -> String {
        let given = ProcessInfo.processInfo.environment["PARLEY_ROUTER_PASSWORD"] ?? ""
        if given.isEmpty { return Base64URL.encode(SystemRandomSource().bytes(18), padded: false) }
        guard (try? BasicAuth(wireString: given)) != nil else {
            throw Outcome.BadInput(description: "PARLEY_ROUTER_PASSWORD must be printable characters without spaces, @, : and /")
        }
        return given
    }

    /// The password in a file of a router's folder, or at a whole path; nil if no file is named.
    static func password(inFile name: String?, folder: String) throws -> BasicAuth? {
        guard let name else { return nil }
        let path = name.hasPrefix("/") ? name : folder + "/" + name
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw Outcome.BadInput(description: "the password cannot be read from \(path)")
        }
        guard let auth = try? BasicAuth(wireString: text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Outcome.BadInput(
                description: "\(path) does not hold a password: one line of printable characters without spaces, @, : and /")
        }
        return auth
    }

    private static let isInteractive = isatty(STDIN_FILENO) == 1 && Output.isTerminal

    private static func ask(_ question: String, option: String) throws -> String {
        guard isInteractive else { throw Outcome.BadInput(description: "\(option) is missing") }
        Output.show(prompt: question)
        defer { Output.endPrompt() }
        guard let answer = readLine()?.trimmingCharacters(in: .whitespaces), !answer.isEmpty else {
            throw Outcome.BadInput(description: "nothing was answered")
        }
        return answer
    }

    /// Makes a file that only its owner reads, whole or not at all.
    static func write(_ text: String, to path: String) throws {
        let temporary = path + ".new"
        let isMade = FileManager.default.createFile(atPath: temporary, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        guard isMade, rename(temporary, path) == 0 else {
            throw Outcome.Failed("router.storage", description: "\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }
}
