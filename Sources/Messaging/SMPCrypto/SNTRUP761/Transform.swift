/// A prime for which the polynomials of degree below 1536 have a number-theoretic transform.
protocol TransformPrime: Modulus {
    /// An element of order 1536.
    static var root: Int { get }
    /// 2^32 / 1536: undoes the factors that a product and its way back collect.
    static var scale: Int16 { get }
}

enum Prime7681: TransformPrime {
    static var value: Int16 { 7681 }
    static var inverse: Int16 { -7679 }
    static var reciprocal: Int16 { 17474 }
    static var root: Int { 6553 }
    static var scale: Int16 { 2879 }
}

enum Prime10753: TransformPrime {
    static var value: Int16 { 10753 }
    static var inverse: Int16 { -10751 }
    static var reciprocal: Int16 { 12482 }
    static var root: Int { 2735 }
    static var scale: Int16 { 4007 }
}

enum Prime12289: TransformPrime {
    static var value: Int16 { 12289 }
    static var inverse: Int16 { -12287 }
    static var reciprocal: Int16 { 10922 }
    static var root: Int { 1854 }
    static var scale: Int16 { -1593 }
}

/// The number-theoretic transform modulo x^1536 - 1 and one prime.
///
/// The first step splits into three polynomials of degree below 512, the others halve. From blocks of 8 on the coefficients are
/// transposed, so that every step works on long runs. The order of the transformed values is of no concern to products.
struct Transform<Prime: TransformPrime>: @unchecked Sendable {
    static var size: Int { 1536 }
    private static var half: Int { 768 }
    private static var blocks: Int { 192 }
    private static var layers: Int { 9 }

    // Written in `init` only, and kept for the life of the process. For each layer 768 factors and then the same scaled.
    private let forwardFactors: UnsafeMutablePointer<Int16>
    private let inverseFactors: UnsafeMutablePointer<Int16>
    // The third root of unity, 512 times, and scaled as often.
    private let thirds: UnsafeMutablePointer<Int16>

    init() {
        forwardFactors = .allocate(capacity: 2 * Self.half * Self.layers)
        inverseFactors = .allocate(capacity: 2 * Self.half * Self.layers)
        thirds = .allocate(capacity: 1024)
        let powers = Self.powers()
        for index in 0..<512 { Self.store(powers[512], at: thirds + index, scaled: 512) }
        var exponents = [0, 512, 1024]
        for layer in 0..<Self.layers {
            let length = 256 >> layer
            let offset = layer * 2 * Self.half
            for (block, exponent) in exponents.enumerated() {
                let forward = powers[exponent / 2]
                let inverse = powers[(Self.size - exponent / 2) % Self.size]
                for index in 0..<length {
                    let position = offset + Self.position(block: block, index: index, length: length)
                    Self.store(forward, at: forwardFactors + position, scaled: Self.half)
                    Self.store(inverse, at: inverseFactors + position, scaled: Self.half)
                }
            }
            exponents = exponents.flatMap { [$0 / 2, $0 / 2 + Self.half] }
        }
    }

    /// The index of a coefficient's factor in the factors of its layer. In the transposed layers a block of eight is a column.
    private static func position(block: Int, index: Int, length: Int) -> Int {
        guard length < 8 else { return block * length + index }
        let groups = 4 / length
        return (block % groups * length + index) * blocks + block / groups
    }

    /// The powers of the root in Montgomery form, nearest to 0.
    private static func powers() -> [Int16] {
        let value = Int(Prime.value)
        var power = 65_536 % value
        return (0..<size).map { _ in
            defer { power = power * Prime.root % value }
            return Int16(power > value / 2 ? power - value : power)
        }
    }

    private static func store(_ factor: Int16, at place: UnsafeMutablePointer<Int16>, scaled distance: Int) {
        place[0] = factor
        place[distance] = factor &* Prime.inverse
    }

    /// Transforms ``Parameters/room`` coefficients of at most 2295; `work` and the output hold ``size`` numbers.
    func forward(
        _ input: UnsafePointer<Int16>, into output: UnsafeMutablePointer<Int16>, work: UnsafeMutablePointer<Int16>
    ) {
        splitInThree(input, into: work)
        var length = 256
        var factors = forwardFactors
        while length >= 8 {
            split(work, length: length, factors: factors, reducing: length == 64 || length == 16)
            length >>= 1
            factors += 2 * Self.half
        }
        Self.transpose(work, rows: Self.blocks, columns: 8, into: output)
        while length >= 1 {
            split(output, length: length * Self.blocks, factors: factors, reducing: length != 2)
            length >>= 1
            factors += 2 * Self.half
        }
    }

    /// Brings a product of transforms back, with the factor 1536; the input is lost. The numbers are reduced.
    func inverse(_ input: UnsafeMutablePointer<Int16>, into output: UnsafeMutablePointer<Int16>) {
        var length = 1
        var factors = inverseFactors + 2 * Self.half * (Self.layers - 1)
        while length < 8 {
            join(input, length: length * Self.blocks, factors: factors)
            length <<= 1
            factors -= 2 * Self.half
        }
        Self.transpose(input, rows: 8, columns: Self.blocks, into: output)
        while length <= 256 {
            join(output, length: length, factors: factors)
            length <<= 1
            factors -= 2 * Self.half
        }
        joinThree(output)
    }

    /// The transform of a product, from those of its factors.
    func multiply(
        _ left: UnsafePointer<Int16>, _ right: UnsafePointer<Int16>, into output: UnsafeMutablePointer<Int16>
    ) {
        let value = Prime.value
        let inverse = Prime.inverse
        var index = 0
        while index < Self.size {
            output[index] = montgomeryProduct(left[index], right[index], value: value, inverse: inverse)
            index &+= 1
        }
    }

    /// Takes a product modulo x^761 - x - 1, where x^761 is x + 1, and takes the factors out that were collected.
    func fold(_ product: UnsafePointer<Int16>, into output: UnsafeMutablePointer<Int16>) {
        let value = Prime.value
        let scale = Prime.scale
        let scaled = scale &* Prime.inverse
        let degree = Parameters.degree
        var index = 0
        while index < degree {
            let sum = product[index] &+ product[index &+ degree] &+ product[index &+ degree &- 1]
            output[index] = montgomeryProduct(sum, scale, scaled: scaled, value: value)
            index &+= 1
        }
        // The constant term has no neighbour below.
        output[0] = montgomeryProduct(product[0] &+ product[degree], scale, scaled: scaled, value: value)
    }

    /// The input has no coefficients from 768 on, so that the third of the three parts is 0.
    private func splitInThree(_ input: UnsafePointer<Int16>, into output: UnsafeMutablePointer<Int16>) {
        let value = Prime.value
        let second = output + 512
        let third = output + 1024
        var index = 0
        while index < 256 {
            let low = input[index]
            let high = input[index &+ 512]
            let turned = montgomeryProduct(high, thirds[index], scaled: thirds[index &+ 512], value: value)
            output[index] = low &+ high
            second[index] = low &+ turned
            third[index] = low &- high &- turned
            index &+= 1
        }
        while index < 512 {
            let low = input[index]
            output[index] = low
            second[index] = low
            third[index] = low
            index &+= 1
        }
    }

    private func joinThree(_ values: UnsafeMutablePointer<Int16>) {
        let value = Prime.value
        let reciprocal = Prime.reciprocal
        let second = values + 512
        let third = values + 1024
        var index = 0
        while index < 512 {
            let a = reduced(values[index], value: value, reciprocal: reciprocal)
            let b = reduced(second[index], value: value, reciprocal: reciprocal)
            let c = reduced(third[index], value: value, reciprocal: reciprocal)
            let turned = montgomeryProduct(b &- c, thirds[index], scaled: thirds[index &+ 512], value: value)
            values[index] = reduced(a &+ b &+ c, value: value, reciprocal: reciprocal)
            second[index] = reduced(a &- b &- turned, value: value, reciprocal: reciprocal)
            third[index] = reduced(a &- c &+ turned, value: value, reciprocal: reciprocal)
            index &+= 1
        }
    }

    /// Every block of 2 * length coefficients modulo x^(2 length) - f^2 into two modulo x^length - f and x^length + f.
    @inline(__always)
    private func split(
        _ values: UnsafeMutablePointer<Int16>, length: Int, factors: UnsafePointer<Int16>, reducing: Bool
    ) {
        let value = Prime.value
        let reciprocal = Prime.reciprocal
        var low = values
        var factor = factors
        var done = 0
        while done < Self.half {
            var index = 0
            if reducing {
                while index < length {
                    let product = montgomeryProduct(
                        low[index &+ length], factor[index], scaled: factor[index &+ 768], value: value)
                    let other = reduced(low[index], value: value, reciprocal: reciprocal)
                    low[index] = other &+ product
                    low[index &+ length] = other &- product
                    index &+= 1
                }
            } else {
                while index < length {
                    let product = montgomeryProduct(
                        low[index &+ length], factor[index], scaled: factor[index &+ 768], value: value)
                    let other = low[index]
                    low[index] = other &+ product
                    low[index &+ length] = other &- product
                    index &+= 1
                }
            }
            low += 2 &* length
            factor += length
            done &+= length
        }
    }

    /// The way back of ``split``, with a factor of 2.
    @inline(__always)
    private func join(_ values: UnsafeMutablePointer<Int16>, length: Int, factors: UnsafePointer<Int16>) {
        let value = Prime.value
        let reciprocal = Prime.reciprocal
        var low = values
        var factor = factors
        var done = 0
        while done < Self.half {
            var index = 0
            while index < length {
                let left = low[index]
                let right = low[index &+ length]
                low[index] = reduced(left &+ right, value: value, reciprocal: reciprocal)
                low[index &+ length] = montgomeryProduct(
                    left &- right, factor[index], scaled: factor[index &+ 768], value: value)
                index &+= 1
            }
            low += 2 &* length
            factor += length
            done &+= length
        }
    }

    @inline(__always)
    private static func transpose(
        _ input: UnsafePointer<Int16>, rows: Int, columns: Int, into output: UnsafeMutablePointer<Int16>
    ) {
        var row = 0
        while row < rows {
            var column = 0
            while column < columns {
                output[column &* rows &+ row] = input[row &* columns &+ column]
                column &+= 1
            }
            row &+= 1
        }
    }
}
