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
            for size in 1...8 {
                // Within a column; in the last round every second column falls, to be merged with its neighbour.
                let falling = size == 8 ? Row(0, -1, 0, -1) : Row(repeating: 0)
                for distance in stride(from: size - 1, through: 0, by: -1) {
                    compareRows(rows, distance: 1 << distance, block: 1 << size, falling: falling)
                }
            }
            compareColumns(rows, distance: 1, fallingFrom: 2)
            for distance in stride(from: 7, through: 0, by: -1) {
                compareRows(rows, distance: 1 << distance, block: 512, falling: Row(0, 0, -1, -1))
            }
            compareColumns(rows, distance: 2, fallingFrom: 4)
            compareColumns(rows, distance: 1, fallingFrom: 4)
            for distance in stride(from: 7, through: 0, by: -1) {
                compareRows(rows, distance: 1 << distance, block: 512, falling: Row(repeating: 0))
            }
        }
    }

    /// Orders all rows that are `distance` apart; every second block of `block` rows falls, and so do the columns that say so.
    @inline(__always)
    private static func compareRows(_ rows: UnsafeMutablePointer<Row>, distance: Int, block: Int, falling: Row) {
        var start = 0
        while start < Self.rows {
            let flip = block < 256 && start & block != 0 ? Row(repeating: -1) : falling
            var row = start
            while row < start &+ distance {
                let a = rows[row] ^ flip
                let b = rows[row &+ distance] ^ flip
                let isGreater = unsafeBitCast(a .> b, to: Row.self)
                let change = (a ^ b) & isGreater
                rows[row] = a ^ change ^ flip
                rows[row &+ distance] = b ^ change ^ flip
                row &+= 1
            }
            start &+= 2 &* distance
        }
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
