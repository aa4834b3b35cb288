import TestSupport
import Testing

@testable import UnicodeText

/// Domain names in one form.
@Suite struct DomainNameTests {
    @Test(arguments: [
        ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.Example", "xn--bcher-kva.example"), ("bu\u{308}cher.example", "xn--bcher-kva.example"),
        ("XN--BCHER-KVA.example", "xn--bcher-kva.example"), ("münchen.de", "xn--mnchen-3ya.de"), ("почта.рф", "xn--80a1acny.xn--p1ai"),
        ("правда.рф", "xn--80aafi6cg.xn--p1ai"), ("ｂａｄ.example", "bad.example"), ("bad.exa\u{AD}mple", "bad.example"), ("bad。example", "bad.example"),
        ("bad．example", "bad.example"), ("bad｡example", "bad.example"), ("straße.example", "xn--strae-oqa.example"), ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
        ("Ⓑⓐⓓ.example", "bad.example"), ("bad\u{200B}.example", "bad.example"), ("example.com", "example.com"), ("EXAMPLE.com", "example.com"), ("", ""),
        ("xn--a.example", "xn--a.example"), ("xn--99999999.example", "xn--99999999.example"), ("1.2.3.4", "1.2.3.4"), ("faß.de", "xn--fa-hia.de"),
    ])
    func aNameHasOneForm(_ name: String, _ form: String) {
        #expect(DomainName.canonical(name) == form)
        #expect(DomainName.canonical(form) == form)
    }

    @Test func punycodeIsReadAsItWasWritten() throws {
        var random = SplitMix64(seed: 42)
        let ranges: [ClosedRange<UInt32>] = [0x61...0x7A, 0xE0...0xFF, 0x430...0x44F, 0x4E00...0x9FFF, 0x1F600...0x1F64F]
        for _ in 1...2_000 {
            let scalars = (0..<Int.random(in: 1...20, using: &random)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: ranges.randomElement(using: &random) ?? 0x61...0x7A, using: &random))
            }
            let encoded = try #require(Punycode.encode(scalars))
            #expect(Punycode.decode(encoded) == scalars, "\(encoded)")
        }
    }

    @Test func noLabelStopsTheReader() {
        var random = SplitMix64(seed: 7)
        for _ in 1...5_000 {
            let label = String(
                (0..<Int.random(in: 0...80, using: &random)).map { _ in Character(["a", "z", "9", "-", "0", "é"].randomElement(using: &random) ?? "a") })
            _ = DomainName.canonical("xn--\(label).example")
            _ = DomainName.readable("xn--\(label).example")
        }
        #expect(DomainName.canonical("xn--" + String(repeating: "9", count: 10_000)).hasPrefix("xn--9"))
    }

    @Test(arguments: ["com", "org", "de", "xn--p1ai", "onion", "chat", "museum", "example"]) func aTopLevelDomainExists(_ name: String) {
        #expect(TopLevelDomain.exists(name[...]))
    }

    @Test(arguments: ["thanks", "js", "txt", "pdf", "smith", "lee", "", "c"]) func aWordIsNoTopLevelDomain(_ name: String) {
        #expect(!TopLevelDomain.exists(name[...]))
    }
}
