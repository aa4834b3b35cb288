import CTurboJPEG

extension Picture {
    /// The sides of previews, the largest first.
    private static let previewSides = [320, 240, 160, 96, 48]
    /// The qualities that are tried for each size.
    private static let qualities: [Int32] = [75, 60, 45, 30]

    /// The picture made so small that its JPEG fits into a message.
    ///
    /// - Parameter limit: Bytes of the JPEG at most.
    /// - Throws: ``PictureError`` `preview`.
    package func preview(limit: Int) throws(PictureError) -> [UInt8] {
        for side in Self.previewSides {
            let small = scaled(toFit: side)
            for quality in Self.qualities {
                let jpeg = try small.jpeg(quality: quality)
                if jpeg.count <= limit { return jpeg }
            }
        }
        throw PictureError(.preview, "no preview of the picture fits into \(limit) bytes")
    }

    /// The picture with sides of at most that many pixels, each the mean of the pixels that it replaces.
    package func scaled(toFit side: Int) -> Picture {
        guard side > 0, width > side || height > side else { return self }
        let largest = max(width, height)
        let (newWidth, newHeight) = (max(1, width * side / largest), max(1, height * side / largest))
        var scaled = [UInt8](repeating: 0, count: newWidth * newHeight * 3)
        for y in 0..<newHeight {
            let rows = y * height / newHeight..<max(y * height / newHeight + 1, (y + 1) * height / newHeight)
            for x in 0..<newWidth {
                let columns = x * width / newWidth..<max(x * width / newWidth + 1, (x + 1) * width / newWidth)
                var sums = (0, 0, 0)
                for row in rows {
                    for column in columns {
                        let offset = (row * width + column) * 3
                        sums.0 += Int(pixels[offset])
                        sums.1 += Int(pixels[offset + 1])
                        sums.2 += Int(pixels[offset + 2])
                    }
                }
                let count = rows.count * columns.count, target = (y * newWidth + x) * 3
                scaled[target] = UInt8(sums.0 / count)
                scaled[target + 1] = UInt8(sums.1 / count)
                scaled[target + 2] = UInt8(sums.2 / count)
            }
        }
        return Picture(width: newWidth, height: newHeight, pixels: scaled)
    }

    /// The picture as a JPEG.
    ///
    /// - Parameter quality: From 1 to 100.
    /// - Throws: ``PictureError`` `preview`.
    package func jpeg(quality: Int32) throws(PictureError) -> [UInt8] {
        guard let encoder = tjInitCompress() else { throw PictureError(.preview, "the encoder cannot be made") }
        defer { tjDestroy(encoder) }
        var buffer: UnsafeMutablePointer<UInt8>?
        var size: UInt = 0
        defer { tjFree(buffer) }
        let code = tjCompress2(
            encoder, pixels, Int32(width), 0, Int32(height), Int32(TJPF_RGB.rawValue), &buffer, &size, Int32(TJSAMP_420.rawValue), quality, 0)
        guard code == 0, let buffer else { throw PictureError(.preview, "the preview cannot be encoded") }
        return Array(UnsafeBufferPointer(start: buffer, count: Int(size)))
    }
}
