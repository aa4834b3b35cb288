import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport

/// Files from one client to another, through a file router: offered, uploaded, downloaded, and on the receiver's disk.
enum FileTransfers {
    /// Bytes of the large file.
    private static let large = 100 << 20
    /// Bytes of a small file.
    private static let small = 10 << 10
    /// Commands that are under way at a time.
    private static let window = 16

    static func measure(_ make: any Make, effort: Double) async throws -> [Figure] {
        guard make.isOurs || PeerProgram.xftpServer.isInstalled else { return [] }
        let router = try await make.startRouter()
        var figures: [Figure] = []
        for kind in FileRouterMake.allCases where kind != .official || PeerProgram.xftpServer.isInstalled {
            let files = try await kind.start()
            let sender = try await make.startClient("Sender", router, fileServers: [files.address])
            let receiver = try await make.startClient("Receiver", router, fileServers: [files.address])
            let contact = try await sender.connect(try await receiver.createInvitation())
            receiver.receiveFiles()
            figures += try await measureLarge(sender, receiver, contact, through: kind.rawValue)
            figures += try await measureSmall(make.scaled(1_000, effort), sender, receiver, contact, through: kind.rawValue)
            await sender.stop()
            await receiver.stop()
            await files.stop()
        }
        await router.stop()
        return figures
    }

    private static func measureLarge(
        _ sender: BenchClient, _ receiver: BenchClient, _ contact: Int64, through router: String
    ) async throws -> [Figure] {
        let name = "100 MiB file through \(router)"
        try sender.makeFile("large.bin", size: large)
        let before = Duration(processorTimeOf: [sender.process, receiver.process])
        let start = ContinuousClock.now
        try await sender.sendFile("large.bin", to: contact)
        await receiver.tally.waitForFiles(1)
        let time = ContinuousClock.now - start
        let spent = Duration(processorTimeOf: [sender.process, receiver.process]) - before
        let peaks = [sender, receiver].compactMap { $0.process.flatMap { ProcessFigures.peakMemory(of: $0.id) } }
        return [
            Figure(name, Double(large) / Double(1 << 20) / time.seconds, .mebibytesPerSecond),
            Figure("\(name): processor time, both sides", spent.milliseconds, .milliseconds),
            Figure("\(name): most memory of either side", Double(peaks.max() ?? 0) / 1_000_000, .megabytes),
        ]
    }

    private static func measureSmall(
        _ count: Int, _ sender: BenchClient, _ receiver: BenchClient, _ contact: Int64, through router: String
    ) async throws -> [Figure] {
        let name = "files of 10 KiB through \(router)"
        for number in 0..<count { try sender.makeFile("small-\(number).bin", size: small) }
        let received = receiver.tally.files
        let before = Duration(processorTimeOf: [sender.process, receiver.process])
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= window { try await group.next() }
                group.addTask { try await sender.sendFile("small-\(number).bin", to: contact) }
            }
            try await group.waitForAll()
        }
        await receiver.tally.waitForFiles(received + count)
        let time = ContinuousClock.now - start
        let spent = Duration(processorTimeOf: [sender.process, receiver.process]) - before
        return [
            Figure(name, Double(count) / time.seconds, .perSecond),
            Figure("\(name): processor time per file, both sides", spent.milliseconds / Double(count), .milliseconds),
        ]
    }
}

/// A file router of either make.
enum FileRouterMake: String, CaseIterable, Sendable {
    case parley = "Parley's router"
    case official = "the official router"

    func start() async throws -> FileRouterProcess {
        switch self {
        case .official:
            let router = try await OfficialFileRouter.start()
            return FileRouterProcess(address: router.address) { await router.stop() }
        case .parley:
            let folder = try ScratchFolder("bench-file-router")
            let process = try ChildProcess(
                try ParleyMake.builtExecutable(), ["server", "xftp", "--data", folder.path, "--port", "0", "--host", "127.0.0.1", "--json"])
            guard let address = try await process.ready().address else { throw BenchFault("the file router has no address") }
            return FileRouterProcess(address: address) {
                await process.stop(.terminate)
                folder.remove()
            }
        }
    }
}

/// A file router that runs.
struct FileRouterProcess: Sendable {
    let address: String
    let stop: @Sendable () async -> Void

    init(address: String, stop: @escaping @Sendable () async -> Void) {
        self.address = address
        self.stop = stop
    }
}

extension BenchClient {
    /// Makes a file in the client's folder for files.
    func makeFile(_ name: String, size: Int) throws {
        var bytes = Data(count: min(size, 1 << 20))
        for index in stride(from: 0, to: bytes.count, by: 64) { bytes[index] = UInt8.random(in: 0...255) }
        var content = Data(capacity: size)
        while content.count < size { content += bytes.prefix(size - content.count) }
        try content.write(to: URL(fileURLWithPath: filesFolder + "/" + name))
    }

    func sendFile(_ name: String, to contact: Int64) async throws {
        let message: JSONValue = ["fileSource": ["filePath": .string(name)], "msgContent": ["type": "file", "text": ""], "mentions": [:]]
        try await send("/_send @\(contact) json \(JSONValue.array([message]).text)")
    }

    /// Receives every file as soon as it can be, from now on.
    func receiveFiles() {
        tally.receiveFiles { [self] id in Task { try? await send("/freceive \(id)") } }
    }
}
