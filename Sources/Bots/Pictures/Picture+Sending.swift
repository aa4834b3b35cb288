extension Picture {
    /// Sides and qualities of pictures for sending, the best first.
    private static let steps: [(side: Int, quality: Int32)] = [
        (2_560, 82), (1_920, 82), (1_920, 72), (1_600, 75), (1_280, 80), (1_280, 70), (1_024, 75), (1_024, 65), (800, 70), (640, 65), (480, 60), (320, 50),
    ]

    /// The picture as a JPEG that is small enough to be sent, in as good a quality as fits.
    ///
    /// - Parameter limit: Bytes of the JPEG at most.
    /// - Throws: ``PictureError`` `preview`.
    package func forSending(limit: Int) throws(PictureError) -> [UInt8] {
        var smaller = self
        for (side, quality) in Self.steps {
            // From the size before: the largest pictures are gone through once.
            smaller = smaller.scaled(toFit: side)
            let jpeg = try smaller.jpeg(quality: quality)
            if jpeg.count <= limit { return jpeg }
        }
        throw PictureError(.preview, "the picture cannot be made to fit into \(limit) bytes")
    }

    /// The picture turned as a camera says it was held.
    ///
    /// - Parameter orientation: The value of Exif, from 1 to 8; 1 is upright.
    func oriented(_ orientation: Int) -> Picture {
        guard (2...8).contains(orientation) else { return self }
        let isTurned = orientation >= 5, (newWidth, newHeight) = isTurned ? (height, width) : (width, height)
        var turned = [UInt8](repeating: 0, count: pixels.count)
        pixels.withUnsafeBufferPointer { source in
            for y in 0..<newHeight {
                for x in 0..<newWidth {
                    let (column, row) =
                        switch orientation {
                        case 2: (width - 1 - x, y)
                        case 3: (width - 1 - x, height - 1 - y)
                        case 4: (x, height - 1 - y)
                        case 5: (y, x)
                        case 6: (y, height - 1 - x)
                        case 7: (width - 1 - y, height - 1 - x)
                        default: (width - 1 - y, x)
                        }
                    let from = (row * width + column) * 3, to = (y * newWidth + x) * 3
                    (turned[to], turned[to + 1], turned[to + 2]) = (source[from], source[from + 1], source[from + 2])
                }
            }
        }
        return Picture(width: newWidth, height: newHeight, pixels: turned)
    }
}

/// The part of Exif that tells how a camera was held.
enum Exif {
    /// Segments and entries that are looked at, at the most.
    private static let limit = 200

    /// The orientation of a JPEG, from 1 to 8; 1 if it tells none.
    static func orientation(of data: [UInt8]) -> Int {
        var offset = 2
        for _ in 0..<limit {
            // A segment: FF, its kind, its length with these two bytes.
            guard offset + 4 <= data.count, data[offset] == 0xFF, data[offset + 1] != 0xDA else { return 1 }
            let length = Int(data[offset + 2]) << 8 | Int(data[offset + 3]), end = offset + 2 + length
            guard length >= 2, end <= data.count else { return 1 }
            if data[offset + 1] == 0xE1, data[offset + 4..<end].starts(with: [0x45, 0x78, 0x69, 0x66, 0, 0]) {
                return orientation(inTIFF: data[(offset + 10)..<end])
            }
            offset = end
        }
        return 1
    }

    private static func orientation(inTIFF data: ArraySlice<UInt8>) -> Int {
        let bytes = Array(data)
        guard bytes.count >= 8 else { return 1 }
        let isLittle = bytes[0] == 0x49
        func number(_ offset: Int, _ count: Int) -> Int? {
            guard offset >= 0, offset + count <= bytes.count else { return nil }
            let part = bytes[offset..<offset + count]
            return (isLittle ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
        }
        guard let first = number(4, 4), let count = number(first, 2) else { return 1 }
        for entry in 0..<min(count, limit) {
            let place = first + 2 + entry * 12
            guard let tag = number(place, 2) else { return 1 }
            guard tag == 0x0112 else { continue }
            let value = number(place + 8, 2) ?? 1
            return (1...8).contains(value) ? value : 1
        }
        return 1
    }
}
