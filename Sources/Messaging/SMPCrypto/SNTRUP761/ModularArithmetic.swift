// Arithmetic on 16-bit lanes. Loops over these functions become vector code: that is why the constants are known at compile
// time, why factors that vary are read from tables and why nothing here branches.

/// The upper half of the 32-bit product.
@inline(__always)
func multiplyHigh(_ a: Int16, _ b: Int16) -> Int16 { a.multipliedFullWidth(by: b).high }

/// An odd modulus below 2^14 with what its reductions need.
protocol Modulus {
    static var value: Int16 { get }
    /// value^-1 modulo 2^16.
    static var inverse: Int16 { get }
    /// 2^27 / value, rounded.
    static var reciprocal: Int16 { get }
}

/// a * b / 2^16 (Montgomery), above -value and below value if |b| < value.
@inline(__always)
func montgomeryProduct(_ a: Int16, _ b: Int16, value: Int16, inverse: Int16) -> Int16 {
    multiplyHigh(a, b) &- multiplyHigh((a &* b) &* inverse, value)
}

/// The same with `scaled` = b * inverse modulo 2^16 known before.
@inline(__always)
func montgomeryProduct(_ a: Int16, _ b: Int16, scaled: Int16, value: Int16) -> Int16 {
    multiplyHigh(a, b) &- multiplyHigh(a &* scaled, value)
}

/// A representative that is at most value / 2 away from 0, or one more.
@inline(__always)
func reduced(_ a: Int16, value: Int16, reciprocal: Int16) -> Int16 {
    a &- ((multiplyHigh(a, reciprocal) &+ 1024) &>> 11) &* value
}

/// The modulus of the ring of public polynomials.
enum RingModulus: Modulus {
    static var value: Int16 { 4591 }
    static var inverse: Int16 { 15631 }
    static var reciprocal: Int16 { 29235 }
    /// The largest canonical representative.
    static var half: Int16 { 2295 }
}

/// The canonical representative from -2295 to 2295, for any 16-bit number.
@inline(__always)
func canonical(_ a: Int16) -> Int16 {
    var result = reduced(a, value: RingModulus.value, reciprocal: RingModulus.reciprocal)
    result = result &- (RingModulus.value & ((RingModulus.half &- result) &>> 15))
    return result &+ (RingModulus.value & ((result &+ RingModulus.half) &>> 15))
}

/// The number nearest to a third, for a number from -4591 to 4591.
@inline(__always)
func thirdRounded(_ a: Int16) -> Int16 {
    // 10923 / 2^15 is a third; the sum is brought to the upper half of a product to stay in 16-bit lanes.
    let doubled = multiplyHigh(a &* 4, 10923)
    return (doubled &+ 1) &>> 1
}

/// The remainder -1, 0 or 1 of a number from -4591 to 4591.
@inline(__always)
func remainderOfThree(_ a: Int16) -> Int16 { a &- 3 &* thirdRounded(a) }
