import CPNG
import CTurboJPEG
import CWebP

/// A decoded picture: rows of pixels, three bytes each (red, green, blue).
package struct Picture: Sendable {
    package let width: Int
    package let height: Int
    /// `width * height * 3` bytes.
    package let pixels: [UInt8]

    package init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(pixels.count == width * height * 3)
        (self.width, self.height, self.pixels) = (width, height, pixels)
    }
}

/// Why a picture could not be used.
package struct PictureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault; stable.
    package enum Code: String, Sendable, Hashable {
        /// The data is no JPEG, PNG or WebP.
        case format
        /// The data has too many bytes, or the picture too many pixels.
        case tooLarge
        /// The data is damaged.
        case damaged
        /// No preview is small enough.
        case preview
    }

    package let code: Code
    package let message: String

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    package var description: String { message }
}

/// Bounds of pictures that are decoded.
package enum PictureLimits {
    /// Bytes of a file.
    package static let bytes = 64 << 20
    /// Pixels of a side.
    package static let side = 20_000
    /// Pixels in all: 75 MB decoded.
    package static let pixels = 25_000_000
}

extension Picture {
    /// Decodes a JPEG, PNG or WebP. Its dimensions are checked before memory is allocated for its pixels.
    ///
    /// - Throws: ``PictureError``: `format`, `tooLarge`, `damaged`.
    package init(decoding data: [UInt8]) throws(PictureError) {
        guard data.count <= PictureLimits.bytes else { throw PictureError(.tooLarge, "the picture has more than \(PictureLimits.bytes >> 20) MiB") }
        if data.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = try Self.jpeg(data)
        } else if data.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = try Self.png(data)
        } else if data.count > 12, data[0..<4].elementsEqual("RIFF".utf8), data[8..<12].elementsEqual("WEBP".utf8) {
            self = try Self.webP(data)
        } else {
            throw PictureError(.format, "the file is not a JPEG, PNG or WebP picture")
        }
    }

    /// - Throws: `tooLarge`, `damaged` for a picture without pixels.
    private static func check(_ width: Int, _ height: Int) throws(PictureError) {
        guard width > 0, height > 0 else { throw PictureError(.damaged, "the picture has no pixels") }
        guard width <= PictureLimits.side, height <= PictureLimits.side, width * height <= PictureLimits.pixels else {
            throw PictureError(.tooLarge, "the picture has \(width) × \(height) pixels, more than can be decoded")
        }
    }

    private static func jpeg(_ data: [UInt8]) throws(PictureError) -> Picture {
        guard let decoder = tjInitDecompress() else { throw PictureError(.damaged, "the decoder cannot be made") }
        defer { tjDestroy(decoder) }
        var width: Int32 = 0, height: Int32 = 0, subsampling: Int32 = 0, colours: Int32 = 0
        guard tjDecompressHeader3(decoder, data, UInt(data.count), &width, &height, &subsampling, &colours) == 0 else {
            throw PictureError(.damaged, "the picture's header is damaged")
        }
        try check(Int(width), Int(height))
        var pixels = [UInt8](repeating: 0, count: Int(width) * Int(height) * 3)
        // A warning, such as a missing end, leaves a picture that can be shown.
        let code = tjDecompress2(decoder, data, UInt(data.count), &pixels, width, 0, height, Int32(TJPF_RGB.rawValue), TJFLAG_LIMITSCANS)
        guard code == 0 || tjGetErrorCode(decoder) == Int32(TJERR_WARNING.rawValue) else { throw PictureError(.damaged, "the picture is damaged") }
        return Picture(width: Int(width), height: Int(height), pixels: pixels).oriented(Exif.orientation(of: data))
    }

    private static func png(_ data: [UInt8]) throws(PictureError) -> Picture {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        guard data.withUnsafeBytes({ png_image_begin_read_from_memory(&image, $0.baseAddress, data.count) }) != 0 else {
            throw PictureError(.damaged, "the picture's header is damaged")
        }
        try check(Int(image.width), Int(image.height))
        image.format = png_uint_32(PNG_FORMAT_FLAG_COLOR)
        let (width, height) = (Int(image.width), Int(image.height))
        var pixels = [UInt8](repeating: 0, count: width * height * 3)
        // Transparent parts are white.
        var background = png_color(red: 255, green: 255, blue: 255)
        guard data.withUnsafeBytes({ _ in png_image_finish_read(&image, &background, &pixels, png_int_32(width * 3), nil) }) != 0 else {
            throw PictureError(.damaged, "the picture is damaged")
        }
        return Picture(width: width, height: height, pixels: pixels)
    }

    private static func webP(_ data: [UInt8]) throws(PictureError) -> Picture {
        var width: Int32 = 0, height: Int32 = 0
        guard WebPGetInfo(data, data.count, &width, &height) != 0 else { throw PictureError(.damaged, "the picture's header is damaged") }
        try check(Int(width), Int(height))
        var pixels = [UInt8](repeating: 0, count: Int(width) * Int(height) * 3)
        let size = pixels.count
        guard WebPDecodeRGBInto(data, data.count, &pixels, size, width * 3) != nil else { throw PictureError(.damaged, "the picture is damaged") }
        return Picture(width: Int(width), height: Int(height), pixels: pixels)
    }
}
