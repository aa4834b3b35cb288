import Foundation
import Pictures
import TestSupport
import Testing

@testable import Parley

/// Large pictures, as they are sent.
@Suite struct ScaledPictureTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func picture(_ side: Int) throws -> String {
        var generator = SplitMix64(seed: UInt64(side))
        let pixels = (0..<side * side * 3).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let path = folder("photo \(side).jpg")
        try Data(Picture(width: side, height: side, pixels: pixels).jpeg(quality: 95)).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func aLargePictureIsSentAsASmallerCopyOfTheSameName() throws {
        let path = try picture(900)
        let message = try OutgoingFile(path, as: .image, caption: "x").composed(scalingInto: folder("files"))
        let sent = try #require(message.fileSource?.filePath), data = try Data(contentsOf: URL(fileURLWithPath: sent))
        #expect(sent.hasPrefix(folder("files/scaled/")) && sent.hasSuffix("/photo 900.jpg"))
        #expect(data.count <= ScaledPicture.limit && data.count > 50_000)
        #expect(try Picture(decoding: Array(data)).width >= 320)
        // The same picture has the same copy, so that a handler that runs again sends the same.
        #expect(try OutgoingFile(path, as: .image).composed(scalingInto: folder("files")).fileSource?.filePath == sent)
    }

    @Test func othersAreSentAsTheyAre() throws {
        let small = try picture(100), large = try picture(900)
        func sent(_ file: OutgoingFile) throws -> String? { try file.composed(scalingInto: folder("files")).fileSource?.filePath }
        #expect(try sent(OutgoingFile(small, as: .image)) == small)
        #expect(try sent(OutgoingFile(large, as: .image, scalesPicture: false)) == large)
        #expect(try sent(OutgoingFile(large)) == large)
        #expect(try OutgoingFile(large, as: .image).composed().fileSource?.filePath == large)
        let animation = folder("a.gif")
        try Data(Array("GIF89a".utf8) + [UInt8](repeating: 0, count: 300_000)).write(to: URL(fileURLWithPath: animation))
        #expect(try sent(OutgoingFile(animation, as: .image)) == animation)
    }

    @Test func copiesThatNobodyUsesAreDeletedAfterAMonth() throws {
        let path = try picture(900), files = folder("files")
        let first = try #require(try ScaledPicture.make(of: path, in: files))
        let later = Date().addingTimeInterval(ScaledPicture.lifetime + 3_600)
        _ = try ScaledPicture.make(of: try picture(901), in: files, now: later)
        #expect(!FileManager.default.fileExists(atPath: first))
    }
}
