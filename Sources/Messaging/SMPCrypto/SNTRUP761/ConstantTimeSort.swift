/// A bitonic sorting network for 1024 numbers: which numbers are compared depends on nothing.
///
/// The number of rank r ends in place 4 (r mod 256) + r / 256. So numbers whose ranks differ in the lower bits, which are compared
/// far more often, are in different groups of four, and four comparisons are made at a time.
enum ConstantTimeSort {
    static let count = 1024
    private static let rows = 256
    private typealias Row = SIMD4<Int32>

    /// Where the number of a rank is after sorting.
    static func position(_ rank: Int) -> Int { (rank & (rows - 1)) << 2 | rank >> 8 }

    static func sort(_ numbers: UnsafeMutablePointer<Int32>) {
        numbers.withMemoryRebound(to: Row.self, capacity: rows) { rows in
            for size in 1...7 { merge(rows, distance: 1 << (size - 1), block: 1 << size) }
            // Every second column falls, to be merged with its neighbour.
            mergeColumns(rows, falling: Row(0, -1, 0, -1))
            compareColumns(rows, distance: 1, fallingFrom: 2)
            mergeColumns(rows, falling: Row(0, 0, -1, -1))
            compareColumns(rows, distance: 2, fallingFrom: 4)
            compareColumns(rows, distance: 1, fallingFrom: 4)
            merge(rows, distance: Self.rows / 2, block: Self.rows)
        }
    }

    /// Orders rows that are `distance` apart, then half of it and so on; every second block of `block` rows falls.
    @inline(__always)
    private static func merge(_ rows: UnsafeMutablePointer<Row>, distance: Int, block: Int) {
        var distance = distance
        while distance > 0 {
            var start = 0
            while start < Self.rows {
                let falls = start & block != 0
                let low = rows + (falls ? start &+ distance : start)
                let high = rows + (falls ? start : start &+ distance)
                var row = 0
                while row < distance {
                    let a = low[row]
                    let b = high[row]
                    let change = (a ^ b) & unsafeBitCast(a .> b, to: Row.self)
                    low[row] = a ^ change
                    high[row] = b ^ change
                    row &+= 1
                }
                start &+= 2 &* distance
            }
            distance >>= 1
        }
    }

    /// Orders all rows of columns that are bitonic, some rising and some falling.
    @inline(__always)
    private static func mergeColumns(_ rows: UnsafeMutablePointer<Row>, falling: Row) {
        for row in 0..<Self.rows { rows[row] ^= falling }
        merge(rows, distance: Self.rows / 2, block: Self.rows)
        for row in 0..<Self.rows { rows[row] ^= falling }
    }

    /// Orders columns within rows.
    @inline(__always)
    private static func compareColumns(_ rows: UnsafeMutablePointer<Row>, distance: Int, fallingFrom: Int) {
        var row = 0
        while row < Self.rows {
            var values = rows[row]
            for column in 0..<4 where column & distance == 0 {
                let flip: Int32 = column >= fallingFrom ? -1 : 0
                let a = values[column] ^ flip
                let b = values[column + distance] ^ flip
                let isGreater = Int32(truncatingIfNeeded: (Int64(b) &- Int64(a)) &>> 63)
                let change = (a ^ b) & isGreater
                values[column] = a ^ change ^ flip
                values[column + distance] = b ^ change ^ flip
            }
            rows[row] = values
            row &+= 1
        }
    }
}
