import SMPWire
import Testing

@testable import SMPCrypto

/// Products and remainders as the definitions say, to compare with.
private enum Schoolbook {
    static let degree = Parameters.degree

    /// left * right modulo x^761 - x - 1 and a number, nearest to 0.
    static func multiply(_ left: [Int], _ right: [Int], modulo modulus: Int) -> [Int] {
        var product = [Int](repeating: 0, count: 2 * degree)
        product.withUnsafeMutableBufferPointer { product in
            left.withUnsafeBufferPointer { left in
                right.withUnsafeBufferPointer { right in
                    var i = 0
                    while i < degree {
                        var j = 0
                        while j < degree {
                            product[i &+ j] &+= left[i] &* right[j]
                            j &+= 1
                        }
                        i &+= 1
                    }
                }
            }
        }
        for index in (degree..<2 * degree).reversed() {
            product[index - degree] += product[index]
            product[index - degree + 1] += product[index]
        }
        return product[..<degree].map { centered($0, modulus) }
    }

    static func centered(_ number: Int, _ modulus: Int) -> Int {
        let rest = ((number % modulus) + modulus) % modulus
        return rest > modulus / 2 ? rest - modulus : rest
    }
}

@Suite struct SNTRUP761ArithmeticTests {
    private func polynomial(_ coefficients: [Int]) -> Polynomial {
        let polynomial = Polynomial.polynomial()
        for (index, coefficient) in coefficients.enumerated() { polynomial.base[index] = Int16(coefficient) }
        return polynomial
    }

    private func coefficients(_ polynomial: borrowing Polynomial) -> [Int] {
        (0..<Parameters.degree).map { Int(polynomial.base[$0]) }
    }

    /// Random coefficients from -bound to bound.
    private func random(_ seed: UInt64, bound: Int) -> [Int] {
        let bytes = SeededRandomSource(seed: seed).bytes(4 * Parameters.degree)
        return (0..<Parameters.degree).map { index in
            let word = (0..<4).reduce(0) { $0 << 8 | Int(bytes[4 * index + $1]) }
            return word % (2 * bound + 1) - bound
        }
    }

    private static let extremes: [[Int]] = [
        [Int](repeating: 2295, count: 761), [Int](repeating: -2295, count: 761),
        (0..<761).map { $0 % 2 == 0 ? 2295 : -2295 }, [Int](repeating: 0, count: 761),
        (0..<761).map { $0 == 760 ? 1 : 0 },
    ]

    private func product(_ left: [Int], _ right: [Int], primes: Int) -> [Int] {
        let output = Polynomial.polynomial()
        let first = polynomial(left)
        let second = polynomial(right)
        RingProduct.multiply(
            RingProduct.Transformed(first.base, primes: primes), RingProduct.Transformed(second.base, primes: primes),
            into: output.base)
        return coefficients(output)
    }

    @Test func productsOfASmallPolynomialAreThoseOfTheDefinition() {
        var pairs = (0..<4).map { (random($0, bound: 2295), random(100 + $0, bound: 1)) }
        for extreme in Self.extremes {
            pairs.append((extreme, [Int](repeating: 1, count: 761)))
            pairs.append((extreme, [Int](repeating: -1, count: 761)))
        }
        for (big, small) in pairs {
            #expect(product(big, small, primes: 2) == Schoolbook.multiply(big, small, modulo: 4591))
        }
    }

    @Test func productsOfLargePolynomialsAreThoseOfTheDefinition() {
        var pairs = (0..<4).map { (random($0, bound: 2295), random(100 + $0, bound: 2295)) }
        for left in Self.extremes { for right in Self.extremes { pairs.append((left, right)) } }
        for (left, right) in pairs {
            #expect(product(left, right, primes: 3) == Schoolbook.multiply(left, right, modulo: 4591))
        }
    }

    @Test func productsModuloThreeAreThoseOfTheDefinition() {
        let ones = [Int](repeating: 1, count: 761)
        for (left, right) in [(random(1, bound: 1), random(2, bound: 1)), (ones, ones), (ones, ones.map { -$0 })] {
            let output = Polynomial.polynomial()
            let first = polynomial(left)
            let second = polynomial(right)
            RingProduct.multiplyModuloThree(
                RingProduct.Transformed(first.base, primes: 1), RingProduct.Transformed(second.base, primes: 2),
                into: output.base)
            #expect(coefficients(output) == Schoolbook.multiply(left, right, modulo: 3))
        }
    }

    @Test func threeTimesAPolynomialTimesItsInverseIsOne() {
        let one = (0..<761).map { $0 == 0 ? 1 : 0 }
        for a in [one, one.reversed(), random(5, bound: 1), random(6, bound: 2295), Self.extremes[2]] {
            let input = polynomial(a)
            let output = Polynomial.polynomial()
            RingInverse.invertTriple(input.base, into: output.base)
            #expect(Schoolbook.multiply(a.map { 3 * $0 }, coefficients(output), modulo: 4591) == one)
        }
    }

    @Test func aSmallPolynomialTimesItsInverseIsOneModuloThree() {
        let one = (0..<761).map { $0 == 0 ? 1 : 0 }
        var inverted = 0
        for a in [one, one.reversed(), one.map { -$0 }] + (0..<8).map({ random(20 + $0, bound: 1) }) {
            let input = polynomial(a)
            let output = Polynomial.polynomial()
            guard SmallInverse.invert(input.base, into: output.base) else { continue }
            inverted += 1
            #expect(Schoolbook.multiply(a, coefficients(output), modulo: 3) == one)
        }
        #expect(inverted >= 9)
    }

    @Test func zeroHasNoInverseModuloThree() {
        let input = Polynomial.polynomial()
        let output = Polynomial.polynomial()
        #expect(!SmallInverse.invert(input.base, into: output.base))
    }

    @Test func canonicalRepresentativesAreExactForEveryNumber() {
        for number in Int16.min...Int16.max where Int(canonical(number)) != Schoolbook.centered(Int(number), 4591) {
            Issue.record("\(number) gives \(canonical(number))")
        }
    }

    @Test func roundingToThirdsIsExactForEveryCoefficient() {
        for number in Int16(-4591)...4591 {
            let third = Int((Double(number) / 3).rounded())
            if Int(thirdRounded(number)) != third || Int(remainderOfThree(number)) != Int(number) - 3 * third {
                Issue.record("\(number) gives \(thirdRounded(number))")
            }
        }
    }

    @Test func reductionModuloThePrimesStaysNearZero() {
        func check<Prime: TransformPrime>(_: Prime.Type) {
            let value = Int(Prime.value)
            for number in Int16.min...Int16.max {
                let result = Int(reduced(number, value: Prime.value, reciprocal: Prime.reciprocal))
                if (Int(number) - result) % value != 0 || abs(result) > value / 2 + value / 512 {
                    Issue.record("\(number) gives \(result) modulo \(value)")
                }
            }
        }
        check(Prime7681.self)
        check(Prime10753.self)
        check(Prime12289.self)
    }

    @Test func sortingIsRightForRandomAndForSpecialNumbers() {
        var inputs: [[Int32]] = [
            [Int32](repeating: 7, count: 1024), (0..<1024).map { Int32($0) }, (0..<1024).map { Int32(-$0) },
            (0..<1024).map { $0 % 2 == 0 ? .min : .max }, (0..<1024).map { Int32($0 % 5) },
        ]
        for seed in 0..<8 as Range<UInt64> {
            let bytes = SeededRandomSource(seed: seed).bytes(4096)
            inputs.append((0..<1024).map { i in Int32(bitPattern: (0..<4).reduce(0) { $0 << 8 | UInt32(bytes[4 * i + $1]) }) })
        }
        // Single 1s among 0s in every place: by the 0-1 principle these find comparators that are wrong.
        for place in stride(from: 0, to: 1024, by: 37) { inputs.append((0..<1024).map { $0 == place ? 1 : 0 }) }
        for input in inputs {
            let numbers = Scratch<Int32>(ConstantTimeSort.count)
            for (index, number) in input.enumerated() { numbers.base[index] = number }
            ConstantTimeSort.sort(numbers.base)
            #expect((0..<1024).map { numbers.base[ConstantTimeSort.position($0)] } == input.sorted())
        }
    }

    @Test(arguments: [(4591, 1158), (1531, 1007)])
    func radixEncodingsComeBack(_ modulus: Int, _ size: Int) {
        let encoding = RadixEncoding(modulus: UInt32(modulus), count: Parameters.degree)
        #expect(encoding.size == size)
        for seed in 0..<6 {
            let numbers: [UInt32] =
                switch seed {
                case 0: [UInt32](repeating: 0, count: 761)
                case 1: [UInt32](repeating: UInt32(modulus - 1), count: 761)
                default: random(UInt64(seed), bound: 100_000).map { UInt32(abs($0) % modulus) }
                }
            let work = Scratch<UInt32>(Parameters.room)
            for (index, number) in numbers.enumerated() { work.base[index] = number }
            var bytes = Bytes(repeating: 0, count: size)
            encoding.encode(work.base, into: &bytes)
            encoding.decode(bytes, into: work.base)
            #expect((0..<761).map { work.base[$0] } == numbers)
        }
    }

    @Test func bytesThatNoEncodingGivesDecodeToNumbersBelowTheModulus() {
        for bytes in [Bytes(repeating: 0xff, count: 1158), SeededRandomSource(seed: 3).bytes(1158)] {
            let work = Scratch<UInt32>(Parameters.room)
            RadixEncoding.ring.decode(bytes, into: work.base)
            #expect((0..<761).allSatisfy { work.base[$0] < 4591 })
        }
    }

    @Test func smallPolynomialsComeBackFromTheirBytes() {
        let a = random(9, bound: 1)
        let input = polynomial(a)
        var bytes = Bytes(repeating: 0, count: Parameters.smallSize)
        SmallEncoding.encode(input.base, into: &bytes)
        let output = Polynomial.polynomial()
        SmallEncoding.decode(bytes, into: output.base)
        #expect(coefficients(output) == a)
    }

    @Test func shortPolynomialsHaveTheirWeight() {
        for seed in 0..<8 as Range<UInt64> {
            let output = Polynomial.polynomial()
            SeededRandomSource(seed: seed).secret(ShortPolynomials.randomSize).withBytes {
                ShortPolynomials.makeShort($0, into: output.base)
            }
            let made = coefficients(output)
            #expect(made.filter { $0 != 0 }.count == Parameters.weight)
            #expect(made.allSatisfy { abs($0) <= 1 })
        }
    }
}
