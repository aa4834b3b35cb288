import Foundation
import TestSupport
import Testing

@testable import Pictures

@Suite struct PictureTests {
    /// A picture with a different colour in each corner.
    private static func corners(_ width: Int, _ height: Int) -> Picture {
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width { pixels += [x < width / 2 ? 255 : 0, y < height / 2 ? 255 : 0, UInt8((x + y) % 256)] }
        }
        return Picture(width: width, height: height, pixels: pixels)
    }

    /// A PNG of 2 by 2 pixels, the first row red and blue, the second transparent.
    private static let png = Data(
        base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAEElEQVR42mP4z8AAQkAMBQAz3gP98dGkCgAAAABJRU5ErkJggg==")

    /// A WebP of 1 by 1 pixel, lossless.
    private static let webP = Data(base64Encoded: "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")

    @Test func aJPEGIsReadAsItWasWritten() throws {
        let picture = Self.corners(64, 48)
        let read = try Picture(decoding: try picture.jpeg(quality: 95))
        #expect((read.width, read.height) == (64, 48))
        #expect(read.pixels[0] > 200 && read.pixels[(63) * 3] < 60, "left and right differ in red")
    }

    @Test func aPNGIsReadAndItsTransparentPartsAreWhite() throws {
        let data = try #require(Self.png)
        let picture = try Picture(decoding: Array(data))
        #expect((picture.width, picture.height) == (2, 2))
        #expect(Array(picture.pixels[6..<12]).allSatisfy { $0 == 255 }, "\(picture.pixels)")
    }

    @Test func aWebPIsRead() throws {
        let picture = try Picture(decoding: Array(try #require(Self.webP)))
        #expect((picture.width, picture.height) == (1, 1))
    }

    @Test(arguments: [(4_000, 3_000), (3_000, 20), (7, 4_001), (100, 100), (1, 1)])
    func aPreviewFitsAndKeepsTheProportions(_ width: Int, _ height: Int) throws {
        let preview = try Self.corners(width, height).preview(limit: 9_000)
        #expect(preview.count <= 9_000)
        let read = try Picture(decoding: preview)
        #expect(read.width <= 320 && read.height <= 320)
        #expect((width > height) == (read.width > read.height) || min(read.width, read.height) == 1 || width == height)
    }

    @Test func noiseIsMadeSmallerUntilItFits() throws {
        var generator = SplitMix64(seed: 7)
        let noise = (0..<640 * 480 * 3).map { _ in UInt8.random(in: 0...255, using: &generator) }
        #expect(try Picture(width: 640, height: 480, pixels: noise).preview(limit: 4_000).count <= 4_000)
    }

    @Test func somethingElseIsNoPicture() {
        for data in [[], Array("GIF89a".utf8), Array("<svg/>".utf8), [0xFF], [0xFF, 0xD8]] as [[UInt8]] {
            #expect { try Picture(decoding: data) } throws: { ($0 as? PictureError)?.code == .format }
        }
    }

    @Test func dimensionsThatAreTooLargeAreRefusedBeforeTheyAreAllocated() throws {
        // The width of a PNG is at byte 16 of the file; its checksum is made anew.
        var png = Array(try #require(Self.png))
        png.replaceSubrange(16..<24, with: [0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF])
        png.replaceSubrange(29..<33, with: Self.checksum(png[12..<29]))
        #expect(throws: PictureError.self) { try Picture(decoding: png) }
        var webP = Array(try #require(Self.webP))
        webP.replaceSubrange(21..<25, with: [0xFF, 0xFF, 0xFF, 0x0F])
        #expect(throws: PictureError.self) { try Picture(decoding: webP) }
    }

    /// CRC-32 as PNG has it.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return withUnsafeBytes(of: (~crc).bigEndian) { Array($0) }
    }

    @Test func damagedPicturesAreRefusedOrReadAndNeverMore() throws {
        var generator = SplitMix64(seed: 23)
        let originals = [try Self.corners(40, 30).jpeg(quality: 80), Array(try #require(Self.png)), Array(try #require(Self.webP))]
        for original in originals {
            for length in 0..<original.count { _ = try? Picture(decoding: Array(original[..<length])) }
            for _ in 0..<2_000 {
                var damaged = original
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    damaged[Int.random(in: 3..<damaged.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
                }
                _ = try? Picture(decoding: damaged)
            }
        }
    }
}
