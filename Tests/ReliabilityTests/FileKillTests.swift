import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport
import Synchronization
import TestSupport
import Testing

/// The sender, the receiver and the file router are killed at random moments while files are transferred.
///
/// The environment variables `PARLEY_TRANSFERS`, `PARLEY_KILLS` and `PARLEY_SEED` make the run longer or repeat its plan.
@Suite struct FileKillTests {
    @Test(.timeLimit(.minutes(60)))
    func everyFileArrivesByteEqualIsAnnouncedOnceAndLeavesNothingBehindWhoeverIsKilled() async throws {
        let plan = FilePlan.fromEnvironment()
        try await run(plan) { try await KilledTransfers(plan) }
    }

    @Test func aPlanOfTransfersFollowsFromItsSeed() {
        let plan = FilePlan(seed: 7, transfers: 50, kills: 100), again = FilePlan(seed: 7, transfers: 50, kills: 100)
        #expect(plan.sizes == again.sizes && plan.kills.map(\.delay) == again.kills.map(\.delay))
        #expect(plan.sizes != FilePlan(seed: 8, transfers: 50, kills: 100).sizes)
        #expect(plan.kills.count == 100 && Set(plan.kills.map(\.victim)) == Set(FilePlan.Victim.allCases))
        #expect(plan.kills.map(\.afterFiles) == plan.kills.map(\.afterFiles).sorted())
    }
}

/// Two parties who transfer files by a plan.
private final class KilledTransfers: PlannedRun {
    /// Files that are on their way at a time.
    private static let window = 4

    private let plan: FilePlan
    private let folder: ScratchFolder
    private let messages, files: KilledRouter
    private let sender, receiver: GroupParty
    /// The ids under which the two know each other.
    private let contactOfSender, contactOfReceiver: Int64
    /// How often the receiver has announced each file as complete, by id.
    private let announced = Announcements()
    private let offered = Atomic(0)

    init(_ plan: FilePlan) async throws {
        self.plan = plan
        folder = try ScratchFolder("parley-files")
        messages = try await KilledRouter(.smp, folder)
        files = try await KilledRouter(.xftp, folder)
        let program = OfficialClient.Program.parley(ParleyProgram.path)
        sender = try await GroupParty("alice", server: messages.address, fileServers: [files.address], program)
        receiver = try await GroupParty("bob", server: messages.address, fileServers: [files.address], program)
        guard let link = try await sender.ask("/_connect 1")["connLinkInvitation"]?["connFullLink"]?.stringValue else { throw RunFault("no link was made") }
        _ = try await receiver.ask("/c \(link)")
        var contacts: [Int64] = []
        for party in [sender, receiver] {
            contacts.append(try await party.client.event("contactConnected") { $0["contact"]?["contactId"]?.intValue })
        }
        (contactOfSender, contactOfReceiver) = (contacts[0], contacts[1])
        let (events, announced) = (receiver.client.events.stream(), announced)
        Task {
            for await event in events where event["type"] == "rcvFileComplete" {
                if let id = event["chatItem"]?["chatItem"]?["file"]?["fileId"]?.intValue { announced.add(id) }
            }
        }
    }

    // MARK: What happens

    func perform() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in try await offerAll() }
            group.addTask { [self] in try await receiveAll() }
            group.addTask { [self] in
                for kill in plan.kills {
                    try await eventually("\(kill.afterFiles) files are offered", within: .seconds(600), every: .milliseconds(20)) {
                        offered.load(ordering: .relaxed) >= kill.afterFiles
                    }
                    try await PlannedPause.pass(milliseconds: kill.delay)
                    switch kill.victim {
                    case .sender: try await sender.kill(downtime: kill.downtime)
                    case .receiver: try await receiver.kill(downtime: kill.downtime)
                    case .router: try await files.kill(downtime: kill.downtime)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func name(_ number: Int) -> String { "file-\(number).bin" }

    private func path(_ name: String, of party: GroupParty) -> URL { URL(fileURLWithPath: party.client.folder.path + "/files/" + name) }

    /// Blocks that differ, so that chunks in the wrong order would show.
    private static func content(_ size: Int, _ seed: UInt64) -> Data {
        var random = SplitMix64(seed: seed)
        let block = Data(random.bytes(8_192))
        var content = Data(capacity: size)
        while content.count < size {
            withUnsafeBytes(of: random.next()) { content.append(contentsOf: $0) }
            content += block.prefix(max(0, size - content.count))
        }
        return content.prefix(size)
    }

    private func offerAll() async throws {
        for (number, size) in plan.sizes.enumerated() {
            try await eventually("a transfer comes to its end", within: .seconds(300), every: .milliseconds(50)) {
                announced.count > number - Self.window
            }
            let name = Self.name(number)
            try Self.content(size, plan.seed + UInt64(number)).write(to: path(name, of: sender))
            let message: JSONValue = [["fileSource": ["filePath": .string(name)], "msgContent": ["type": "file", "text": ""], "mentions": [:]]]
            try await sender.persistently("send \(name)") {
                try await items(of: sender).contains { $0.name == name }
            } _: {
                try await $0.send("/_send @\(contactOfSender) json \(message.text)")
            }
            offered.add(1, ordering: .relaxed)
        }
    }

    /// Accepts files as a person does who looks at the chat, until all are there.
    private func receiveAll() async throws {
        try await eventually("all files are there", within: .seconds(1_800), every: .milliseconds(100)) {
            let items = try await items(of: receiver)
            for item in items {
                if item.status == "rcvInvitation" {
                    // It may be accepted although the answer did not come.
                    do { try await receiver.client.send("/freceive \(item.id)") } catch { continue }
                }
                if item.status.hasSuffix("Error") || item.status.hasSuffix("Cancelled") { throw RunFault("\(item.name) of \(plan): \(item.status)") }
            }
            // What a process announced that was killed before it could say so is in its database only.
            announced.note(complete: items.count { $0.status == "rcvComplete" })
            return items.count { $0.status == "rcvComplete" } == plan.sizes.count
        }
    }

    private struct Item {
        var id: Int64
        var name, path, status: String
    }

    /// The files of a party's chat.
    private func items(of party: GroupParty) async throws -> [Item] {
        let contact = party === sender ? contactOfSender : contactOfReceiver
        let items = try await party.ask("/_get chat @\(contact) count=1000")["chat"]?["chatItems"]?.arrayValue ?? []
        return items.compactMap { item in
            guard let file = item["file"], let id = file["fileId"]?.intValue, let name = file["fileName"]?.stringValue,
                let status = file["fileStatus"]?["type"]?.stringValue
            else { return nil }
            return Item(id: id, name: name, path: file["fileSource"]?["filePath"]?.stringValue ?? "", status: status)
        }
    }

    // MARK: What must be true

    func verify() async throws {
        try await eventually("all uploads are complete", every: .milliseconds(100)) {
            try await items(of: sender).allSatisfy { $0.status == "sndComplete" }
        }
        let received = try await items(of: receiver)
        #expect(received.map(\.name).sorted() == plan.sizes.indices.map(Self.name).sorted(), "\(plan): each file once")
        for item in received {
            let isEqual = try Data(contentsOf: path(item.path, of: receiver)) == Data(contentsOf: path(item.name, of: sender))
            #expect(isEqual, "\(plan): \(item.name)")
        }
        #expect(announced.repeated.isEmpty, "\(plan): announced more than once")
        let names = try FileManager.default.contentsOfDirectory(atPath: path("", of: receiver).path)
        #expect(names.sorted() == received.map(\.path).sorted(), "\(plan): other files in the receiver's folder")
        for party in [sender, receiver] {
            try await eventually("\(party.name) has no files of transfers", every: .milliseconds(100)) { remains(of: party).isEmpty }
        }
        for item in try await items(of: sender) { _ = try await sender.ask("/fcancel \(item.id)") }
        // Whatever is on the router then belongs to no file.
        try await eventually("the router has no chunks", every: .milliseconds(100)) {
            try FileManager.default.contentsOfDirectory(atPath: folder("file-router/files")).isEmpty
        }
    }

    /// Files in the folders for transfers.
    private func remains(of party: GroupParty) -> [String] {
        (FileManager.default.subpaths(atPath: party.client.folder.path) ?? []).filter { $0.contains("_transfers/") }
    }

    func stop() async {
        for party in [sender, receiver] { await party.stop() }
        for router in [messages, files] { await router.stop() }
        folder.remove()
    }
}

/// The files that were announced as complete.
private final class Announcements: Sendable {
    private let state = Mutex<(counts: [Int64: Int], complete: Int)>(([:], 0))

    func add(_ id: Int64) { state.withLock { $0.counts[id, default: 0] += 1 } }
    func note(complete: Int) { state.withLock { $0.complete = max($0.complete, complete) } }

    /// Files that are complete.
    var count: Int { state.withLock { max($0.counts.count, $0.complete) } }
    /// Files that were announced more than once.
    var repeated: [Int64] { state.withLock { $0.counts.filter { $0.value > 1 }.map(\.key) } }
}
