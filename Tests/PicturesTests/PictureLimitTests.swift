import Foundation
import TestSupport
import Testing

@testable import Pictures

/// Dimensions that a file only claims to have, and previews at their limits.
@Suite struct PictureLimitTests {
    /// A PNG's signature and header of these dimensions, with nothing behind it.
    private static func png(_ width: Int, _ height: Int) -> [UInt8] {
        let chunk = Array("IHDR".utf8) + bigEndian(width, 4) + bigEndian(height, 4) + [8, 2, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + chunk + bigEndian(Int(checksum(chunk)), 4) + [0, 0, 0, 1] + Array("IDAT".utf8)
    }

    /// A small JPEG that says it has these dimensions.
    private static func jpeg(_ width: Int, _ height: Int) throws -> [UInt8] {
        var jpeg = try Picture(width: 16, height: 16, pixels: [UInt8](repeating: 90, count: 16 * 16 * 3)).jpeg(quality: 80)
        let frame = try #require(jpeg.indices.dropLast().first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
        jpeg.replaceSubrange(frame + 5..<frame + 9, with: bigEndian(height, 2) + bigEndian(width, 2))
        return jpeg
    }

    /// A lossless WebP whose header has these dimensions.
    private static func webP(_ width: Int, _ height: Int) -> [UInt8] {
        let size = UInt32(width - 1) | UInt32(height - 1) << 14
        let stream = [0x2F] + withUnsafeBytes(of: size.littleEndian) { Array($0) } + [0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0xFE, 0x07]
        let chunk = Array("WEBPVP8L".utf8) + withUnsafeBytes(of: UInt32(stream.count).littleEndian) { Array($0) } + stream + [0]
        return Array("RIFF".utf8) + withUnsafeBytes(of: UInt32(chunk.count).littleEndian) { Array($0) } + chunk
    }

    private static func bigEndian(_ number: Int, _ count: Int) -> [UInt8] { (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

    /// CRC-32 as PNG has it.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
    }

    private func code(_ data: [UInt8]) -> PictureError.Code? {
        do throws(PictureError) {
            _ = try Picture(decoding: data)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: [
        (20_000, 1, false), (20_001, 1, true), (1, 20_000, false), (1, 20_001, true), (5_000, 5_001, true), (5_001, 5_000, true), (20_000, 1_251, true),
        (1_251, 20_000, true), (20_000, 20_000, true),
    ])
    func aPictureHasNoMorePixelsThanAreDecodedWhateverItsFormat(_ width: Int, _ height: Int, _ isTooLarge: Bool) throws {
        // There are no pixels behind a header that is good.
        #expect(code(Self.png(width, height)) == (isTooLarge ? .tooLarge : .damaged))
        let jpeg = code(try Self.jpeg(width, height))
        #expect((jpeg == .tooLarge) == isTooLarge)
        if width <= 16_384, height <= 16_384 { #expect((code(Self.webP(width, height)) == .tooLarge) == isTooLarge) }
    }

    @Test func aPictureWithoutPixelsIsDamaged() throws {
        for (width, height) in [(0, 0), (0, 5), (5, 0)] {
            #expect(code(Self.png(width, height)) == .damaged)
            #expect(code(try Self.jpeg(width, height)) == .damaged)
        }
        #expect(code(Self.png(0x7FFF_FFFF, 0x7FFF_FFFF)) != nil && code(Self.png(0xFFFF_FFFF, 1)) != nil)
    }

    @Test func aFileAboveTheLimitIsNotLookedAt() {
        let header = Self.png(1, 1)
        #expect(code(header + [UInt8](repeating: 0, count: PictureLimits.bytes - header.count)) == .damaged)
        #expect(code(header + [UInt8](repeating: 0, count: PictureLimits.bytes + 1 - header.count)) == .tooLarge)
    }

    /// A picture whose pixels follow from a seed.
    private static func noise(_ width: Int, _ height: Int, seed: UInt64) -> Picture {
        var random = SplitMix64(seed: seed)
        return Picture(width: width, height: height, pixels: random.bytes(width * height * 3))
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>) func aPreviewIsTheLargestThatFitsExactly(_ seed: UInt64) throws {
        let picture = Self.noise(100, 70, seed: seed)
        let best = try picture.preview(limit: .max)
        #expect(try picture.preview(limit: best.count) == best)
        var limit = best.count - 1
        // Each step is smaller, until nothing is small enough.
        while let next = try? picture.preview(limit: limit) {
            #expect(next.count <= limit)
            limit = next.count - 1
        }
        #expect { try picture.preview(limit: limit) } throws: { ($0 as? PictureError)?.code == .preview }
        #expect { try picture.preview(limit: 0) } throws: { ($0 as? PictureError)?.code == .preview }
    }

    @Test(arguments: [(100, 70, 50), (70, 100, 50), (1_000, 1, 3), (1, 1_000, 3), (3, 3, 2), (321, 320, 320), (7, 5, 1)])
    func aPictureIsScaledToItsLongerSideAndKeepsItsColours(_ width: Int, _ height: Int, _ side: Int) {
        let scaled = Self.noise(width, height, seed: 4).scaled(toFit: side)
        #expect(max(scaled.width, scaled.height) == side && min(scaled.width, scaled.height) == max(1, min(width, height) * side / max(width, height)))
        let plain = Picture(width: width, height: height, pixels: [UInt8](repeating: 77, count: width * height * 3)).scaled(toFit: side)
        #expect(plain.pixels.allSatisfy { $0 == 77 } && plain.pixels.count == plain.width * plain.height * 3)
    }

    @Test(arguments: [0, -1, 4, 5, .max]) func aPictureThatFitsStaysAsItIs(_ side: Int) {
        let picture = Self.noise(4, 3, seed: 5), scaled = picture.scaled(toFit: side)
        #expect(scaled.width == 4 && scaled.height == 3 && scaled.pixels == picture.pixels)
    }

    @Test func aPixelIsTheMeanOfThoseThatItStandsFor() {
        let picture = Picture(width: 4, height: 2, pixels: [0, 10, 255, 100, 10, 255, 1, 2, 3, 5, 6, 7, 200, 20, 255, 100, 20, 255, 9, 10, 11, 13, 14, 15])
        let scaled = picture.scaled(toFit: 2)
        #expect(scaled.width == 2 && scaled.height == 1 && scaled.pixels == [100, 15, 255, 7, 8, 9])
    }
}
