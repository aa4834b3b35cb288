import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport
import SMPWire
import Testing
import XFTPProtocol

extension Interop {
    /// Files that are cancelled, and files without a message.
    @Suite(.serialized, .enabled(if: PeerProgram.xftpServer.isInstalled, "SIMPLEX_PEERS names no folder with xftp-server"))
    struct FileLinks {
        /// The link of a file of more than one chunk leads to its description, which is on the router.
        @Test(arguments: Meeting.allCases, [50_000, 20 << 20])
        func `A file without a message arrives by its link`(_ way: Meeting, _ size: Int) async throws {
            let isRedirected = size > 65_536
            try await seen(isRedirected ? "file by a link with a redirect" : "file by a link", "sent \(way.who)", through: way.router) {
                let exchange = try await FileExchange.prepare(way)
                try exchange.sender.make("alone.bin", size: size)
                try await exchange.sender.party.send("/_upload 1 alone.bin")
                let link = try await exchange.sender.party.event("sndStandaloneFileComplete", within: .seconds(120)) { $0["rcvURIs"]?[0]?.stringValue }
                let description = try FileDescriptionLink(wireString: link).description
                #expect((description.redirect != nil) == isRedirected)
                try await exchange.receiver.party.send("/_download 1 \(link) down.bin")
                try await exchange.receiver.fileEvent("rcvStandaloneFileComplete")
                #expect(try haveSameContent(exchange.receiver.file("down.bin"), exchange.sender.file("alone.bin")))
                try await exchange.close()
            }
        }

        @Test(arguments: Meeting.allCases) func `The sender cancels during the upload, during the download and after it`(_ way: Meeting) async throws {
            let exchange = try await FileExchange.prepare(way)
            let (sender, receiver) = (exchange.sender, exchange.receiver)
            try await seen("upload cancelled by the sender", "sent \(way.who)", through: way.router) {
                try sender.make("a.bin", size: 40 << 20)
                let sent = try await sender.offer("a.bin")
                let id = try await receiver.offered("a.bin")
                try await sender.fileEvent("sndFileProgressXFTP")
                try await sender.party.send("/fcancel \(sent.file)")
                try await receiver.expectCancelled(id)
            }
            try await seen("file cancelled by its sender after the download", "sent \(way.who)", through: way.router) {
                try sender.make("b.bin", size: 200_000)
                let sent = try await sender.offer("b.bin")
                let received = try await receiver.received(try await receiver.accept("b.bin"))
                try await sender.party.send("/fcancel \(sent.file)")
                // The file stays, and the chat goes on.
                try await converse(sender, receiver, "after a cancelled file")
                #expect(try haveSameContent(received, sender.file("b.bin")))
            }
            try await seen("download cancelled by the sender", "sent \(way.who)", through: way.router) {
                try sender.make("c.bin", size: 60 << 20)
                let sent = try await sender.offer("c.bin")
                let id = try await receiver.accept("c.bin")
                try await receiver.fileEvent("rcvFileProgressXFTP")
                try await sender.party.send("/fcancel \(sent.file)")
                try await receiver.expectCancelled(id)
                let names = try FileManager.default.contentsOfDirectory(atPath: receiver.party.folder("files"))
                #expect(!names.contains { $0.contains(".part-") })
            }
            try await exchange.close()
        }

        @Test(arguments: Meeting.allCases) func `The receiver cancels before the download and after it`(_ way: Meeting) async throws {
            try await seen("file cancelled by its receiver before the download, and accepted again", "sent \(way.who)", through: way.router) {
                let exchange = try await FileExchange.prepare(way)
                try exchange.sender.make("a.bin", size: 200_000)
                try await exchange.sender.offer("a.bin")
                let id = try await exchange.receiver.offered("a.bin")
                try await exchange.sender.fileEvent("sndFileCompleteXFTP")
                let received = try await exchange.receiver.cancelAndAcceptAgain(id)
                // What is there cannot be cancelled.
                await #expect(throws: PeerError.self) { try await exchange.receiver.party.send("/fcancel \(id)") }
                #expect(try haveSameContent(received, exchange.sender.file("a.bin")))
                try await exchange.close()
            }
        }
    }
}
