/// The encoding of labels of domain names in ASCII (RFC 3492).
enum Punycode {
    private static let base = 36, low = 1, high = 26, skew = 38, damp = 700, initialBias = 72, initialValue = 128

    /// Decodes a label without its prefix; nil if it is malformed.
    static func decode(_ label: some StringProtocol) -> [Unicode.Scalar]? {
        let bytes = Array(label.utf8)
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        let hyphen = bytes.lastIndex(of: UInt8(ascii: "-"))
        var scalars = bytes[..<(hyphen ?? 0)].map { Unicode.Scalar($0) }
        var position = hyphen.map { $0 + 1 } ?? 0
        var value = initialValue, index = 0, bias = initialBias
        while position < bytes.count {
            let before = index
            var weight = 1
            var step = base
            while true {
                guard position < bytes.count, let digit = digit(bytes[position]) else { return nil }
                position += 1
                let (product, overflow) = digit.multipliedReportingOverflow(by: weight)
                let (sum, sumOverflow) = index.addingReportingOverflow(product)
                guard !overflow, !sumOverflow else { return nil }
                index = sum
                let threshold = min(max(step - bias, low), high)
                if digit < threshold { break }
                let (next, weightOverflow) = weight.multipliedReportingOverflow(by: base - threshold)
                guard !weightOverflow else { return nil }
                weight = next
                step += base
            }
            let count = scalars.count + 1
            bias = adapted(index - before, count, isFirst: before == 0)
            let (sum, overflow) = value.addingReportingOverflow(index / count)
            guard !overflow, let code = UInt32(exactly: sum), let scalar = Unicode.Scalar(code) else { return nil }
            value = sum
            index %= count
            scalars.insert(scalar, at: index)
            index += 1
        }
        return scalars
    }

    /// Encodes a label without its prefix; nil if it is too long.
    static func encode(_ scalars: [Unicode.Scalar]) -> String? {
        var output = scalars.filter(\.isASCII).map { UInt8(truncatingIfNeeded: $0.value) }
        var handled = output.count
        let basic = handled
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var value = initialValue, delta = 0, bias = initialBias
        while handled < scalars.count {
            guard let next = scalars.lazy.map({ Int($0.value) }).filter({ $0 >= value }).min() else { return nil }
            let (product, overflow) = (next - value).multipliedReportingOverflow(by: handled + 1)
            guard !overflow else { return nil }
            delta += product
            value = next
            for scalar in scalars {
                if scalar.value < value { delta += 1 }
                guard scalar.value == value else { continue }
                var rest = delta, step = base
                while true {
                    let threshold = min(max(step - bias, low), high)
                    if rest < threshold { break }
                    output.append(letter(threshold + (rest - threshold) % (base - threshold)))
                    rest = (rest - threshold) / (base - threshold)
                    step += base
                }
                output.append(letter(rest))
                bias = adapted(delta, handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            value += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - low) * high / 2 {
            delta /= base - low
            steps += base
        }
        return steps + (base - low + 1) * delta / (delta + skew)
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30 + 26
        case 0x41...0x5A: Int(byte) - 0x41
        case 0x61...0x7A: Int(byte) - 0x61
        default: nil
        }
    }

    private static func letter(_ digit: Int) -> UInt8 { UInt8(truncatingIfNeeded: digit < 26 ? 0x61 + digit : 0x30 + digit - 26) }
}
