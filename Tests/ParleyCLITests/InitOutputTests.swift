import Foundation
import Hosting
import ParleyRules
import ProcessSupport
import Testing

@testable import ParleyCLI

/// What `parley init` says at its end.
@Suite struct InitOutputTests {
    @Test func theLineThatLetsPhonesReachTheBotIsTheOneThatAPublicFileHas() async throws {
        let folder = try ScratchFolder("init")
        defer { folder.remove() }
        let local = try await run(["init", folder("local.yaml")])
        let line = try #require(local.output.split(separator: "\n").last).trimmingCharacters(in: .whitespaces)
        #expect(local.exitCode == 0 && line == "network: { operators: preset, accept-conditions: yes }", "\(local)")
        #expect(local.output.contains("Only this machine reaches the bot.") && local.output.contains("https://github.com/simplex-chat/"))
        let text = try String(contentsOfFile: folder("local.yaml"), encoding: .utf8)
        let network = try BotsFile(parsing: text.replacingOccurrences(of: "parley: 1\n", with: "parley: 1\n\(line)\n")).network
        #expect(network.usesPresetOperators && network.acceptsConditions)
        #expect(!(try BotsFile(parsing: text).network.usesPresetOperators))
    }

    @Test func aFileForThePublicNetworkLacksNothing() async throws {
        let folder = try ScratchFolder("init")
        defer { folder.remove() }
        let asked = try await run(["init", "--ask"], input: "1\nEcho\n1\n2\n\(folder("public.yaml"))\n")
        #expect(asked.exitCode == 0 && !asked.output.contains("Only this machine reaches"), "\(asked)")
        #expect(try String(contentsOfFile: folder("public.yaml"), encoding: .utf8).contains("\(BotsFileTemplate.publicNetwork)\n"))
    }

    @Test func aSwiftPackageIsToldTheCallForPhones() async throws {
        let folder = try ScratchFolder("init")
        defer { folder.remove() }
        let package = try await run(["init", "--swift", folder("dice")])
        #expect(package.exitCode == 0 && package.output.hasSuffix("  \(SwiftPackageTemplate.publicRun)\n"), "\(package)")
        #expect(package.output.contains("Sources/DiceBot.swift"))
    }
}
