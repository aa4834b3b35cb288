import CSodium

/// Memory for intermediate values, zeroed at first and when it is let go.
struct Scratch<Element: BitwiseCopyable>: ~Copyable {
    let base: UnsafeMutablePointer<Element>
    let count: Int

    init(_ count: Int) {
        base = .allocate(capacity: count)
        self.count = count
        UnsafeMutableRawPointer(base).initializeMemory(as: UInt8.self, repeating: 0, count: count * MemoryLayout<Element>.stride)
    }

    deinit {
        sodium_memzero(base, count * MemoryLayout<Element>.stride)
        base.deallocate()
    }
}

/// The coefficients of a polynomial, ``Parameters/room`` of them, those above the degree 0.
typealias Polynomial = Scratch<Int16>

extension Scratch<Int16> {
    static func polynomial() -> Polynomial { Scratch(Parameters.room) }
}
