import Foundation
import SMPCrypto
import SMPWire
import Testing
import VectorSupport
import XFTPProtocol

@Suite struct LocalFileVectorTests {
    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("parley-files-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test(arguments: try Vectors.cases("crypto_file", kinds: "crypto-file"))
    func aFileIsWrittenAsRecordedAndReadsBack(_ item: VectorCase) throws {
        let (key, nonce) = try item.boxKey()
        let content = try item.plaintext(count: Int(try item.integer("plaintext_len")))
        try inFolder { folder in
            let file = LocalFile(folder + "/file", key: .init(key: key, nonce: nonce))
            try file.write(content)
            let written = Bytes(try Data(contentsOf: URL(fileURLWithPath: file.path)))
            #expect(written.count == Int(try item.integer("encrypted_len")))
            #expect(Hash.sha256(written) == (try item.hex("encrypted_sha256")))
            #expect(try file.contentSize() == item.integer("contents_size"))
            #expect(try file.contents(upTo: 1 << 20) == content)
            #expect(throws: FileFormatError.self) { try file.write(content) }
        }
    }

    @Test(arguments: try Vectors.cases("crypto_file", kinds: "crypto-file-error"))
    func aFileThatWasChangedOrCutOffIsRefused(_ item: VectorCase) throws {
        let (key, nonce) = try item.boxKey()
        try inFolder { folder in
            let file = LocalFile(folder + "/file", key: .init(key: key, nonce: nonce))
            try Data(try item.hex("encrypted")).write(to: URL(fileURLWithPath: file.path))
            let code: FileFormatError.Code = try item.text("error") == "FTCEInvalidFileSize" ? .invalidSize : .invalidTag
            let error = #expect(throws: FileFormatError.self) { try file.contents(upTo: 1 << 20) }
            #expect(error?.code == code)
        }
    }

    @Test(arguments: try Vectors.cases("crypto_file", kinds: "crypto-file-json"))
    func theKeyOfARecordedFileIsBase64OfItsSizes(_ item: VectorCase) throws {
        let arguments = item["json"]["cryptoArgs"]
        guard !arguments.isNull else { return }
        #expect(Base64URL.decode(try arguments["fileKey"].text())?.count == BoxSecret.size)
        #expect(Base64URL.decode(try arguments["fileNonce"].text())?.count == BoxNonce.size)
    }

    @Test func aFileWithoutAKeyIsPlainAndTooLargeOnesAndOtherThingsAreRefused() throws {
        try inFolder { folder in
            let file = LocalFile(folder + "/plain")
            try file.write([1, 2, 3])
            #expect(Bytes(try Data(contentsOf: URL(fileURLWithPath: file.path))) == [1, 2, 3])
            #expect(try file.contents(upTo: 3) == [1, 2, 3])
            #expect(#expect(throws: FileFormatError.self) { try file.contents(upTo: 2) }?.code == .tooLarge)
            #expect(#expect(throws: FileFormatError.self) { try LocalFile(folder).contentSize() }?.code == .io)
            #expect(#expect(throws: FileFormatError.self) { try LocalFile(folder + "/none").contentSize() }?.code == .io)
            #expect(mkfifo(folder + "/pipe", 0o600) == 0)
            #expect(#expect(throws: FileFormatError.self) { try LocalFile(folder + "/pipe").contentSize() }?.code == .io)
        }
    }

    @Test func aFileThatIsReplacedIsReadable() throws {
        try inFolder { folder in
            let file = LocalFile(folder + "/file", key: .random(SeededRandomSource(seed: 5)))
            try file.write(Bytes(repeating: 1, count: 100))
            var writer = try LocalFileWriter(file, replaces: true)
            try writer.write([7])
            try writer.finish()
            #expect(try file.contents(upTo: 10) == [7])
        }
    }
}
