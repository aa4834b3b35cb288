import ParleyRules
import Testing

/// Values that can mean nothing, for every key that takes an address, a name, a pattern, a number, a time, a role, a language or a zone: each is an error or a
/// warning, at its place.
@Suite struct NonsenseValueTests {
    private func found(_ source: String) throws -> [Diagnostic] {
        let errors = faults(in: source)
        return errors.isEmpty ? try BotsFile(parsing: source).warnings.diagnostics : errors
    }

    private func expect(_ marked: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let source = MarkedSource(marked), found = try found(source.text)
        #expect(found.contains { $0.position == source.position }, "\(marked.replacing("\n", with: "⏎")): \(found)", sourceLocation: sourceLocation)
        #expect(found.allSatisfy { !$0.message.isEmpty })
    }

    private static let link = "https://relay.example.org/r#AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
    private static let channel = String(repeating: "A", count: 43) + "="

    @Test(arguments: [
        // Addresses of this machine.
        "metrics: { port: 1, address: §\"http://127.0.0.1\" }", "metrics: { port: 1, address: §\"127.0.0.1:9090\" }",
        "metrics: { port: 1, address: §nonsense here }",
        "metrics: { port: 1, address: §300.1.1.1 }", "metrics: { port: 1, address: §127.0.0 }", "metrics: { port: 1, address: §\"::g\" }",
        "metrics: { port: 1, address: §-x }", "metrics: { port: 1, address: §\"[::1]\" }", "metrics: { port: 1, address: §\"*\" }",
        "webhooks: { port: 1, token: { env: HOME }, address: §\"127.0.0.1:9090\" }", "webhooks: { port: 1, token: { env: HOME }, address: §a..b }",
        "webhooks: { port: 1, token: { env: §\"A B\" } }", "webhooks: { port: 1, token: { env: §$TOKEN } }", "webhooks: { port: 1, token: { env: §A=B } }",
        // The network.
        "network: { socks-proxy: §localhost }", "network: { socks-proxy: §\"localhost:99999\" }", "network: { tcp-timeout: §soon }",
        "network: { retry-pause: §5 }", "network: { smp-proxy: §sometimes }", "network: { host-mode: §tor }",
        // Lists.
        "lists: { x: { domains: [ §\"http://\" ] } }", "lists: { x: { domains: [ §exa mple.com ] } }", "lists: { x: { domains: [ §a..b ] } }",
        "lists: { x: { words: [ §\"***\" ] } }", "lists: { x: { words: [ a ], normalize: [ §loud ] } }",
        "lists: { x: { words: [ spam, §spam ] } }", "lists: { x: { domains: [ a.org, §a.org ] } }", "lists: { x: { words: [ a ], kind: §text } }",
        "joins: { per-second: §-1 }", "joins: { burst: §0 }", "joins: { burst: §1e3 }",
    ]) func ofTheFile(_ part: String) throws {
        try expect("parley: 1\nprofiles: { a: {} }\n" + part)
    }

    @Test(arguments: [
        // Relays.
        "channels: { c: { relays: §\"x:y\" } }", "channels: { c: { relays: §\"https://relay.example.org\" } }",
        "channels: { c: { relays: §\"https://relay.example.org/r#AAAA\" } }",
        "channels: { c: { relays: §\"relay.example.org/r#AAAA\" } }", "channels: { c: { relays: §\"smp://abc@relay.example.org\" } }",
        "channels: { c: { relays: §\"\(link.replacing("/r#", with: "/g#"))\" } }", "channels: { c: { relays: §\"\(link.replacing("/r#", with: "/a#"))\" } }",
        "channels: { c: { relays: [ \"\(link)\", §\"\(link)\" ] } }", "channels: { c: { relays: §nobody } }",
        "relay: { deny: §nonsense }", "relay: { deny: [ §\"https://relay.example.org/c#AAAA\" ] }", "relay: { deny: §News }", "relay: { allow: §\"AAAA\" }",
        "relay: { allow: §\"\(channel)A\" }", "relay: { allow: §\(channel), deny: \(channel) }", "relay: { deny: [ §12345 ] }",
        "relay: { channels: §-1 }", "relay: { bytes-per-day: §0 }",
        // Sizes, numbers and times.
        "receive-files: { up-to: §0 }", "receive-files: { up-to: §ten }", "receive-files: { up-to: 1mb, bytes-per-day: §1kb }",
        "receive-files: { up-to: 1mb, kinds: [ file, §film ] }", "receive-files: { up-to: 1mb, kinds: [ file, §file ] }",
        "retention: §never", "retention: §30", "retention: §0d", "retention: §99999999999w", "pace: { chat: { burst: 1, per-second: §fast } }",
        "pace: { chat: { burst: §-1, per-second: 1 } }",
        // Names.
        "name: §\"\\n\"", "trusted-contacts: [ ann, §ann ]", "trusted-contacts: [ §\"#ann\" ]", "trusted-contacts: ann\n    joined-groups: [ §\"a  b\" ]",
        "trusted-contacts: ann\n    groups: { g: { moderators: [ ann, §ann ] } }", "trusted-contacts: ann\n    groups: { g: { moderators: [ §bob ] } }",
        "trusted-contacts: ann\n    groups: { g: { moderators: ann, members: §ann } }",
        // Groups and joiners.
        "groups: { g: { link: §boss } }", "groups: { g: { joiners: [ { name-contains: [ x, §x ], then: reject } ] } }",
        "groups: { g: { joiners: [ { name-longer: §-5, then: reject } ] } }",
        "groups: { g: { joiners: [ { then: §maybe } ] } }", "groups: { g: { joiners: [ { picture: true, role: §king, then: accept } ] } }",
        "groups: { g: { preferences: { disappearing: §forever } } }", "groups: { g: { preferences: { files: §perhaps } } }",
        // Forms.
        "forms: { f: { questions: [ { name: §\"1 a\", ask: x } ], done: { send: x } } }",
        "forms: { f: { questions: [ { name: a, ask: x, pattern: \"§(\" } ], done: { send: x } } }",
        "forms: { f: { questions: [ { name: a, ask: x, choices: [ red, §Red ] } ], done: { send: x } } }",
        "forms: { f: { questions: [ { name: a, ask: x } ], timeout: §40d, done: { send: x } } }",
        "forms: { f: { questions: [ { name: a, ask: x }, §{ name: a, ask: x } ], done: { send: x } } }",
        "forms: { f: { questions: [ { name: a, ask: x } ], cancel: [ stop, §stop ], done: { send: x } } }",
        // Schedules.
        "schedules: [ { id: s, at: §2026-02-31 10:00, to: contacts, send: x } ]", "schedules: [ { id: s, at: §tomorrow, to: contacts, send: x } ]",
        "schedules: [ { id: s, every: §5s, to: contacts, send: x } ]", "schedules: [ { id: s, cron: §\"99 8 * * *\", to: contacts, send: x } ]",
        "schedules: [ { id: s, cron: \"0 8 * * *\", zone: §Mars, to: contacts, send: x } ]",
        "schedules: [ { id: s, every: 1h, missed: §never, to: contacts, send: x } ]",
        "trusted-contacts: ann\n    schedules: [ { id: s, every: 1h, to: [ ann, §ann ], send: x } ]",
    ]) func ofAProfile(_ part: String) throws {
        try expect("parley: 1\nprofiles:\n  a:\n    \(part)\n")
    }

    @Test(arguments: [
        "text: x, hours: §\"25:00-26:00\"", "text: x, hours: { between: \"09:00-17:00\", zone: §Moon }", "text: x, hours: { days: §funday }",
        "text: x, hours: { days: [ mon, §mon ] }",
        "file: { type: §\"picture/*\" }", "file: { type: §\"image /*\" }", "file: { type: [ image/*, §image/* ] }", "file: { name: §\"a/b.txt\" }",
        "file: { smaller: §0 }",
        "file: { larger: §big }", "text: x, role: §king", "text: x, role: [ member, §member ]", "text: x, chat: §room", "text: x, member-age: §\"< long\"",
        "text: x, rate: §\"> 3 in a while\"",
        "pattern: \"§[\"", "pattern: \"§(?=x)\"", "text: x, length: §\"> many\"", "text: x, capitals: §\"> 200%\"",
        "text: x, from: §bob", "domains: §\"http:\"", "words: §\"**\"",
        "words: { list: §nothing }", "words: [ spam, §spam ]", "reaction: §hello", "command: §two  words", "text: x, lines: §\"> -1\"", "text: x, name: §\"\"",
        "contains: [ a, §a ]",
        "domains: { of: a.org, except: §b..c }", "text: x, emoji: §\"> lots\"",
    ]) func ofACondition(_ check: String) throws {
        let event = check.contains("reaction") || check.contains("command") || check.contains("chat:") ? "" : "chat: group, "
        try expect(
            "parley: 1\nprofiles:\n  a:\n    rules:\n      - when: { \(check.hasPrefix("file") || check.hasPrefix("words") || check.hasPrefix("domains") ? "message: any, " : "")\(event)\(check) }\n        then: { send: x }\n"
        )
    }

    @Test(arguments: [
        "captcha: { language: §xx-nonsense }", "captcha: { language: §german }", "captcha: { attempts: §0 }", "captcha: { within: §0s }",
        "captcha: { question: §\"Who are you?\" }",
        "role: §king", "role: { to: member, for: §ever }", "block: { for: §ages }", "warn: { points: §-1 }", "warn: { expires: §never }", "react: §hello",
        "webhook: §\"https://\"", "webhook: §\"https://exa mple.org\"", "webhook: §\"https://a..b/x\"", "webhook: §\"https://example.org:99999/\"",
        "webhook: §\"https://example.org:0/\"", "webhook: §hello",
        "webhook: { url: https://example.org, secret: { env: §\"A B\" } }", "tell: { chat: §nobody, text: x }", "forward: §nobody",
        "forward: { to: x, through: §b }",
        "broadcast: { text: x, to: [ contacts, §contacts ] }", "send: { voice: a, seconds: §ten }", "form: §nothing", "post: { channel: §nothing, text: x }",
        "save: §all",
    ]) func ofAnAction(_ action: String) throws {
        let when = action.hasPrefix("captcha") ? "member: pending" : "message: any, chat: group"
        try expect("parley: 1\nprofiles:\n  a:\n    rules:\n      - when: { \(when) }\n        then: { \(action) }\n")
    }

    @Test(arguments: [
        "{ say: x, at: §\"25:99\", expect: r }", "{ say: x, at: §\"2026-02-31 10:00\", expect: r }", "{ say: x, member-age: §long, expect: r }",
        "{ say: x, role: §king, expect: r }",
        "{ say: x, chat: §room, expect: r }",
        "{ reaction: §hello, expect: r }", "{ say: x, mentions: §-1, expect: r }", "{ say: x, file: { name: a, size: §big }, expect: r }",
        "{ warned: §0, expect: r }", "{ relay: §gone, expect: r }",
        "{ member: §vanished, expect: r }",
    ]) func ofATest(_ test: String) throws {
        try expect("parley: 1\nprofiles:\n  a:\n    rules:\n      - { id: r, when: { text: x }, then: { send: x } }\n    tests:\n      - \(test)\n")
    }
}
