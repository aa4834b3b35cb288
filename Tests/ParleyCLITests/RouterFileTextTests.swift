import Foundation
import ParleyRules
import RouterSupport
import TestSupport
import Testing

@testable import ParleyCLI

/// The files that `parley server … init` writes, read again.
@Suite struct RouterFileTextTests {
    private typealias MessageRouterFile = RouterFile<MessageRouterSettings>
    private typealias FileRouterFile = RouterFile<FileRouterSettings>

    private func reread(_ file: MessageRouterFile) throws -> MessageRouterFile { try StrictFile.read(file.text, file: "router.yaml", MessageRouterFile.init) }
    private func reread(_ file: FileRouterFile) throws -> FileRouterFile { try StrictFile.read(file.text, file: "file-router.yaml", FileRouterFile.init) }

    private static let hosts = [
        ["smp.example.org"], ["203.0.113.7"], ["::1"], ["2001:db8::7", "smp.example.org"], ["[2001:db8::7]"], ["abcdefghijklmnop.onion", "smp.example.org"],
        ["localhost"], ["a_b.example"],
        ["null"], ["1"], ["1.5"], ["0x10.example"],
    ]

    @Test(arguments: hosts)
    func aHostIsReadAsItWasGiven(_ hosts: [String]) throws {
        #expect(try RouterSetup.hosts(hosts) == hosts)
        var router = MessageRouterFile(), files = FileRouterFile()
        (router.hosts, files.hosts) = (hosts, hosts)
        let read = try (router: reread(router), files: reread(files))
        #expect(read.router.hosts == hosts && read.files.hosts == hosts)
    }

    @Test(arguments: ["127.0.0.1", "0.0.0.0", "::", "::1", "fe80::1%eth0", "localhost", "*"])
    func anInterfaceIsReadAsItWasGiven(_ bind: String) throws {
        var router = MessageRouterFile(), files = FileRouterFile()
        (router.hosts, router.bind, files.hosts, files.bind) = (["a.example"], bind, ["a.example"], bind)
        let read = try (router: reread(router), files: reread(files))
        #expect(read.router.bind == bind && read.files.bind == bind)
    }

    @Test(arguments: ["password", "/run/secrets/router password", "a: b", "#x", "'quoted' \"twice\"", "ü", "null", "%", "- x", "a\\b"])
    func thePathOfThePasswordIsReadAsItWasGiven(_ path: String) throws {
        var router = MessageRouterFile(), files = FileRouterFile()
        (router.hosts, router.passwordFile, files.hosts, files.passwordFile) = (["a.example"], path, ["a.example"], path)
        let read = try (router: reread(router), files: reread(files))
        #expect(read.router.passwordFile == path && read.files.passwordFile == path)
    }

    @Test(arguments: ["always", "10ms", "200ms", "1s", "60s", "60000ms", "1500ms"])
    func aPolicyIsReadAsItWasWritten(_ text: String) throws {
        var file = MessageRouterFile()
        (file.hosts, file.fsync) = (["a.example"], try Durability(option: text))
        #expect(try reread(file).fsync == file.fsync)
    }

    @Test(arguments: [
        "", "often", "9ms", "60001ms", "61s", "0s", "-1s", "1 s", "1m", "1", "ms", "1.5s", "٢s", "9223372036854775807s", "99999999999999999999ms", "ALWAYS",
    ])
    func whatIsNoPolicyIsNone(_ text: String) { #expect(Durability(argument: text) == nil) }

    @Test(
        arguments: [
            ("1kb", 1 << 10, "1kb"), ("500mb", 500 << 20, "500mb"), ("2048MB", 2 << 30, "2gb"), ("20Gb", 20 << 30, "20gb"),
            ("8388607tb", 8_388_607 << 40, "8388607tb"), ("1025kb", 1025 << 10, "1025kb"),
        ] as [(String, Int64, String)])
    func aNumberOfBytesIsWrittenInTheLargestUnitThatHoldsIt(_ text: String, _ bytes: Int64, _ written: String) throws {
        let count = try #require(ByteCount(argument: text))
        #expect(count.bytes == bytes && ByteCount.text(count.bytes) == written && ByteCount(argument: written)?.bytes == bytes)
    }

    @Test(arguments: ["", "kb", "5", "0kb", "-1kb", "1.5gb", "8388608tb", "99999999999999999999kb", "1 kb", "1pb", "kb1"])
    func whatIsNoNumberOfBytesIsNone(_ text: String) { #expect(ByteCount(argument: text) == nil) }

    @Test func settingsThatInitWritesAreThoseThatStartReads() throws {
        var router = MessageRouterFile()
        (router.hosts, router.port, router.allowsCreation, router.allowsProxying, router.metricsPort) = (["a.example"], 0, false, false, 9_153)
        let read = try reread(router)
        #expect(read.port == 0 && !read.allowsCreation && !read.allowsProxying && read.metricsPort == 9_153 && read.text == router.text)
        var files = FileRouterFile()
        (files.hosts, files.port, files.allowsCreation, files.quota, files.metricsPort) = (["a.example"], 65_535, false, 3 << 30, 9_154)
        let other = try reread(files)
        #expect(other.port == 65_535 && !other.allowsCreation && other.quota == 3 << 30 && other.metricsPort == 9_154 && other.text == files.text)
    }

    /// A line with `#` in front says what holds without it.
    @Test func theLinesThatAreLeftOutSayTheDefaults() throws {
        func uncommented(_ text: String) -> String {
            text.split(separator: "\n").map { line in line.wholeMatch(of: /# ([a-z-]+: [^ ]+)/).map { String($0.1) } ?? String(line) }.joined(separator: "\n")
        }
        var router = MessageRouterFile(), files = FileRouterFile()
        (router.hosts, files.hosts) = (["a.example"], ["a.example"])
        let read = try StrictFile.read(uncommented(router.text), file: "router.yaml", MessageRouterFile.init)
        #expect(
            (read.messageQuota, read.messageDays, read.queueDays, read.maximumQueues) == (
                router.messageQuota, router.messageDays, router.queueDays, router.maximumQueues
            ))
        #expect(
            (read.maximumConnections, read.connectionsPerAddress, read.creationsPerAddress) == (
                router.maximumConnections, router.connectionsPerAddress, router.creationsPerAddress
            ))
        #expect(
            (read.maximumHandshakes, read.handshakeSeconds, read.idleHours, read.maximumRelays) == (
                router.maximumHandshakes, router.handshakeSeconds, router.idleHours, router.maximumRelays
            ))
        #expect((read.certificateDays, read.metricsAddress, read.passwordFile) == (router.certificateDays, router.metricsAddress, "password"))
        let other = try StrictFile.read(uncommented(files.text), file: "file-router.yaml", FileRouterFile.init)
        #expect(
            (other.quota, other.fileHours, other.maximumFiles, other.maximumConnections) == (
                files.quota, files.fileHours, files.maximumFiles, files.maximumConnections
            ))
        #expect(
            (other.connectionsPerAddress, other.creationsPerAddress, other.maximumHandshakes) == (
                files.connectionsPerAddress, files.creationsPerAddress, files.maximumHandshakes
            ))
        #expect(
            (other.handshakeSeconds, other.transferSeconds, other.idleHours, other.certificateDays) == (
                files.handshakeSeconds, files.transferSeconds, files.idleHours, files.certificateDays
            ))
    }
}
