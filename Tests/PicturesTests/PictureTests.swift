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

    @Test(arguments: [(4_000, 3_000), (700, 9_000), (640, 480)]) func aPictureForSendingFitsInGoodQuality(_ width: Int, _ height: Int) throws {
        var generator = SplitMix64(seed: 9)
        var pixels = Self.corners(width, height).pixels
        // Some noise, as a camera makes it.
        for index in pixels.indices where index % 3 == 0 { pixels[index] = pixels[index] &+ UInt8.random(in: 0...7, using: &generator) }
        let jpeg = try Picture(width: width, height: height, pixels: pixels).forSending(limit: 261_120)
        #expect(jpeg.count <= 261_120)
        let read = try Picture(decoding: jpeg)
        #expect(max(read.width, read.height) >= min(max(width, height), 1_024), "\(read.width) x \(read.height)")
        #expect((width > height) == (read.width > read.height))
    }

    @Test func noiseForSendingIsMadeSmallerUntilItFits() throws {
        var generator = SplitMix64(seed: 8)
        let noise = (0..<1_600 * 1_200 * 3).map { _ in UInt8.random(in: 0...255, using: &generator) }
        #expect(try Picture(width: 1_600, height: 1_200, pixels: noise).forSending(limit: 261_120).count <= 261_120)
    }

    /// A JPEG with the Exif of a camera that was held otherwise.
    private static func jpeg(_ picture: Picture, orientation: Int, isLittle: Bool) throws -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
            return isLittle ? bytes : bytes.reversed()
        }
        let entry = number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + [0, 0]
        let tiff = Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) + number(1, 2) + entry + number(0, 4)
        let segment = Array("Exif".utf8) + [0, 0] + tiff, plain = try picture.jpeg(quality: 95)
        return plain[..<2] + [0xFF, 0xE1, UInt8((segment.count + 2) >> 8), UInt8((segment.count + 2) & 0xFF)] + segment + plain[2...]
    }

    @Test(arguments: 1...8, [true, false]) func aPhotoIsTurnedAsTheCameraSays(_ orientation: Int, _ isLittle: Bool) throws {
        let picture = Self.corners(64, 32)
        let read = try Picture(decoding: try Self.jpeg(picture, orientation: orientation, isLittle: isLittle))
        #expect((read.width, read.height) == (orientation >= 5 ? (32, 64) : (64, 32)))
        // The corner that is red and green is at the top left in the stored picture.
        func isBright(_ x: Int, _ y: Int) -> Bool {
            let offset = (y * read.width + x) * 3
            return read.pixels[offset] > 200 && read.pixels[offset + 1] > 200
        }
        let right = read.width - 4, bottom = read.height - 4
        let corners = [1: (4, 4), 2: (right, 4), 3: (right, bottom), 4: (4, bottom), 5: (4, 4), 6: (right, 4), 7: (right, bottom), 8: (4, bottom)]
        let corner = try #require(corners[orientation])
        #expect(isBright(corner.0, corner.1), "\(orientation)")
    }

    @Test func damagedExifIsNoOrientation() throws {
        let whole = try Self.jpeg(Self.corners(8, 8), orientation: 6, isLittle: false)
        for length in 0..<min(whole.count, 60) { #expect((1...8).contains(Exif.orientation(of: Array(whole[..<length])))) }
        var generator = SplitMix64(seed: 3)
        for _ in 0..<2_000 {
            var damaged = whole
            for _ in 0..<4 { damaged[Int.random(in: 2..<50, using: &generator)] = UInt8.random(in: 0...255, using: &generator) }
            #expect((1...8).contains(Exif.orientation(of: damaged)))
        }
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
