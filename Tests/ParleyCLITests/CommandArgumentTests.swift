import ArgumentParser
import Parley
import ParleyRules
import Testing

@testable import ParleyCLI

/// Arguments that cannot be meant, before anything is started.
@Suite struct CommandArgumentTests {
    /// What is said of arguments; nil for those that are taken.
    private func refusal(_ arguments: [String]) -> (isInput: Bool, message: String)? {
        do {
            _ = try ParleyCommand.parseAsRoot(arguments)
            return nil
        } catch {
            return (ParleyCommand.exitCode(for: error) == .validationFailure, ParleyCommand.fullMessage(for: error))
        }
    }

    private static let longest = String(repeating: "ü", count: 95)

    @Test(arguments: [
        (["top", "--interval", "0"], "--interval takes 1 to 3600 seconds"), (["top", "--interval", "3601"], "--interval takes 1 to 3600 seconds"),
        (["top", "--interval=-1"], "--interval takes 1 to 3600 seconds"), (["top", "--interval", "2.5"], "'2.5'"),
        (["top", "echo"], "Unexpected argument 'echo'"),
        (["relay", "status", "--interval", "3601"], "--interval takes 0 to 3600 seconds"),
        (["relay", "status", "--interval=-1"], "--interval takes 0 to 3600 seconds"),
        (["relay", "leave"], "<channel>"), (["relay", "leave", "News"], "'News'"), (["relay", "leave", "99999999999999999999"], "99999999999999999999"),
        (["send", "--to", "Ann"], "nothing to send"), (["send", "hello"], "--to"),
        (["send", "--to", "Ann", "--file", "a", "--image", "b"], "give one of them"),
        (["send", "--to", "Ann", "--once-as", "", "x"], "1 to 190 bytes"), (["send", "--to", "Ann", "--once-as", longest + "x", "x"], "1 to 190 bytes"),
        (["send", "--to", "Ann", "hello", "there"], "Unexpected argument 'there'"), (["send", "--to", "Ann", "--timeout", "soon", "x"], "'soon'"),
        (["send", "--to", "Ann", "--timeout=-1", "x"], "--timeout takes 0 to 86400 seconds"),
        (["send", "--to", "Ann", "--timeout", "86401", "x"], "--timeout takes 0 to 86400 seconds"),
        (["send", "--to", "Ann", "--timeout", "9223372036854775807", "x"], "--timeout takes 0 to 86400 seconds"),
        (["api", "--port", "65536"], "it is a number up to 65535"), (["api", "--port=-1"], "it is a number up to 65535"), (["api", "-p", "x"], "'x'"),
        (["api", "-p", "1", "--listen", "127.0.0.1:2"], "give one of them"),
        (["api", "--listen", "127.0.0.1:2", "--chat-server-port", "2"], "give one of them"),
        (["api", "--chat-server-port", "65536"], "it is a number up to 65535"), (["api", "--listen", "5225"], "--listen \"5225\" has no port"),
        (["api", "--listen", "0.0.0.0:5225"], "add --token-file FILE"), (["api", "--listen", "parley:5225"], "add --token-file FILE"),
        (["api", "--listen", "[::]:5225"], "--insecure-no-token"), (["api", "--insecure-no-token", "--token-file", "t"], "leave one out"),
        (["api", "--data", "a", "-d", "b/c"], "give one of them"), (["api", "-d", "data/"], "names no files"), (["api", "-d", ""], "names no files"),
        (["api", "--xftp-server", "smp://a"], "is not xftp://"), (["api", "--xftp-server", "xftp://a https://b"], "\"https://b\" is not xftp://"),
        (["api", "--relay-allow", "x"], "add --relay"), (["api", "--relay-deny", "x"], "add --relay"), (["api", "--relay-members", "5"], "add --relay"),
        (["api", "--relay", "--relay-channels", "0"], "are at least 1"), (["api", "--relay", "--relay-members=-5"], "are at least 1"),
        (["run", "--metrics-address", "127.0.0.1"], "means nothing without --metrics-port"), (["run", "--metrics-port", "65536"], "65536"),
        (["run", "--router-port", "70000"], "70000"), (["run", "--log-level", "loud"], "loud"),
        (["run", "--smp-proxy", "sometimes"], "--smp-proxy: \"sometimes\""),
        (["run", "--tcp-timeout", "0"], "--tcp-timeout"), (["run", "--tcp-timeout", "3601"], "--tcp-timeout"),
        (["run", "--retry-pause", "9"], "--retry-pause"),
        (["run", "--socks-proxy", "9050"], "--socks-proxy"), (["run", "--socks-mode", "never"], "--socks-mode"),
        (["run", "--host-mode", "tor"], "--host-mode"),
        (["run", "--smp-proxy-fallback", "maybe"], "--smp-proxy-fallback"), (["run", "--service", "yes"], "--service"),
        (["run", "--operators", "presets"], "--operators"),
        (["run", "a.yaml", "b.yaml"], "Unexpected argument 'b.yaml'"), (["run", "--jsn"], "--jsn"), (["chat", "--exec"], "--exec"),
        (["init", "--ask", "--name", "x"], "leave the other options out"), (["init", "--ask", "a.yaml"], "leave the other options out"),
        (["init", "--parley", "x"], "means nothing without --swift"), (["init", "--swift", "--help-text", "x"], "is for a bots.yaml"),
        (["db", "key", "--remove", "--new-key-file", "k"], "exclude each other"), (["db", "quarantine", "retry"], "<id>"),
        (["db", "frobnicate"], "frobnicate"),
        (["explain"], "give a text with --say"), (["explain", "--with", "member"], "--with member has no \"=\""),
        (["explain", "--say", "x", "--with", ""], "has no \"=\""),
        (["replay"], "<file>"), (["replay", "a", "--since", "0s"], "'0s'"), (["replay", "a", "--since", "yesterday"], "'yesterday'"),
        (["replay", "a", "--since", "+1h"], "'+1h'"),
        (["server", "smp", "start", "--port", "70000"], "70000"), (["server", "smp", "init", "--new-queues", "some"], "some"),
        (["server", "xftp", "init", "--new-files", "some"], "some"), (["server", "smp", "queue", "block", "id"], "<reason>"), (["server", "imap"], "imap"),
        (["schema", "x"], "'x'"),
        (["frobnicate"], "frobnicate"), ([""], "''"),
    ])
    func whatCannotBeMeantIsBadInputWithItsReason(_ arguments: [String], _ words: String) throws {
        let found = try #require(refusal(arguments), "\(arguments) is taken")
        #expect(found.isInput && found.message.contains(words), "\(arguments): \(found.message)")
    }

    @Test(arguments: [
        ["top", "--interval", "1"], ["top", "--interval", "3600"], ["relay", "status", "--interval", "0"], ["relay", "status", "--interval", "3600"],
        ["relay", "leave", "9223372036854775807"], ["send", "--to", "Ann", "--once-as", longest, "x"],
        ["send", "--to", "Ann", "--once-as", "k", "--file", "a"],
        ["send", "--to", "Ann", "--timeout", "0", "x"], ["send", "--to", "Ann", "--timeout", "86400", "x"], ["send", "--to", "Ann", ""],
        ["send", "--to", "Ann", "--", "--file"], ["api", "--port", "0"], ["api", "--port", "65535"], ["api", "-k", ""],
        ["api", "--listen", "[::1]:0"], ["api", "--listen", "unix:/run/api.sock"], ["api", "--listen", "0.0.0.0:1", "--token-file", "t"],
        ["api", "--listen", "0.0.0.0:1", "--insecure-no-token"], ["api", "-p", "7", "--chat-server-port", "7"],
        ["api", "--relay", "--relay-channels", "1"],
        ["run", "--metrics-port", "0", "--metrics-address", "::1"], ["run", "--log-level", "DEBUG"], ["run", "--tcp-timeout", "3600"],
        ["run", "--retry-pause", "10"],
        ["run", "--server", "a b"], ["replay", "a", "--since", "2w"], ["explain", "--with", "member=joined"], ["explain", "--with", "edited=a=b"],
        ["explain", "--say", ""],
        ["init", "--swift", "--parley", "x"], ["server", "smp"], ["server", "xftp", "--quota", "much"], ["db", "quarantine"],
    ])
    func whatIsAtTheEndsOfTheLimitsIsTaken(_ arguments: [String]) {
        let found = refusal(arguments)
        #expect(found == nil, "\(found?.message ?? "")")
    }

    @Test(arguments: [
        (["rnu"], "parley run"), (["chekc", "bots.yaml"], "parley check"), (["server", "smpp"], "parley server smp"),
        (["server", "xftp", "chunks"], "parley server xftp chunk"),
        (["server", "smp", "queue", "unblok", "x"], "parley server smp queue unblock"), (["relay", "statsu"], "parley relay status"),
        (["db", "bakcup"], "parley db backup"),
        (["frobnicate"], ""), (["run", "--jsn"], ""), (["run", "rnu", "rnu"], ""), (["--rnu"], ""),
    ])
    func aCommandThatIsNearlyRightIsNamed(_ arguments: [String], _ command: String) {
        do {
            _ = try ParleyCommand.parseAsRoot(arguments)
            Issue.record("\(arguments) is taken")
        } catch {
            #expect(Outcome.suggestion(for: error, arguments: arguments) == (command.isEmpty ? "" : "\n  Did you mean '\(command)'?"))
        }
    }

    // MARK: Profiles by their names

    @Test(
        arguments: [
            (nil, ["Echo"], "Echo"), ("Echo", ["Ann", "Echo"], "Echo"), (nil, [], "[profile.unnamed] no profiles yet"),
            (nil, ["Ann", "Ben"], "[profile.unnamed] say which one, of Ann, Ben"),
            ("Ecco", ["Echo"], "[profile.unknown] did you mean \"Echo\"?"), ("echo", ["Echo"], "[profile.unknown] did you mean \"Echo\"?"),
            ("Zoe", [], "[profile.unknown] there are: none"),
            ("x", ["a: b\u{1B}[2J"], "[profile.unknown] there are: “a: b\\u{1B}[2J”"),
        ] as [(String?, [String], String)])
    func aProfileIsTheOneOfTheNameOrTheOnlyOne(_ name: String?, _ names: [String], _ expected: String) throws {
        do {
            #expect(try ProfileFinder.choose(name, among: names, name: { $0 }) == expected)
        } catch let error as Outcome.BadInput {
            let words = expected.split(separator: " ", maxSplits: 1)
            #expect("[\(error.code)]" == words[0] && error.description.contains(words[1]), "\(error)")
        }
    }
}
