import Foundation
import TestSupport
import Testing

@testable import ParleyRules

/// Files of secrets as people and programs write them.
@Suite struct SecretFileTests {
    private static let longest = String(repeating: "k", count: RuleSecret.maximumLength)

    /// What a bots.yaml says of the secret in a file of some bytes: the secret, or the message of its mistake.
    private func secret(_ bytes: [UInt8]?, named name: String = "token") throws -> String {
        let folder = try TemporaryFolder(), path = folder.path + "/bots.yaml"
        if let bytes { try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/token")) }
        try Data("parley: 1\nwebhooks: { port: 1, token: { file: \(name) } }\nprofiles: { a: {} }".utf8).write(to: URL(fileURLWithPath: path))
        do throws(BotsFileError) {
            return try BotsFile(contentsOf: path).webhooks?.token?.text ?? "none"
        } catch {
            return error.diagnostics.map(\.message).joined(separator: "; ")
        }
    }

    @Test(arguments: [
        ("hunter2", "hunter2"), ("hunter2\n", "hunter2"), (" hunter2\r\n\r\n", "hunter2"), ("\u{FEFF}hunter2\n", "hunter2"), ("two words\n", "two words"),
        ("line\nline", "line\nline"), ("pässword", "pässword"), ("", "the secret is empty"), ("\n", "the secret is empty"), (" \t\r\n ", "the secret is empty"),
        ("\u{FEFF}", "the secret is empty"), (longest, longest), (longest + "\n", longest), ("\u{FEFF}" + longest + "\r\n", longest),
        (String(repeating: " ", count: 100) + longest, longest), (longest + "k", "the secret has more than 4096 bytes"),
        (" \(longest)k", "the secret has more than 4096 bytes"), ("\u{FEFF}\(longest)k", "the secret has more than 4096 bytes"),
        (String(repeating: "k", count: 100_000), "the secret has more than 4096 bytes"),
        (String(repeating: " ", count: 100_000) + "hunter2", "the secret is empty"),
    ])
    func aSecretIsAllThatStandsInItsFile(_ content: String, _ expected: String) throws { #expect(try secret(Array(content.utf8)) == expected) }

    @Test func whatIsNoTextOrNoFileCannotBeRead() throws {
        #expect(try secret([0xFF, 0xFE, 0x41]) == "the file token cannot be read")
        #expect(try secret(nil) == "the file token cannot be read")
        #expect(try secret(nil, named: "/nowhere/token") == "the file /nowhere/token cannot be read")
        #expect(try secret(nil, named: ".") == "the file . cannot be read")
    }
}
