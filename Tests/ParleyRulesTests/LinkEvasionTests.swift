import ChatProtocol
import TestSupport
import Testing

@testable import ParleyRules

/// Links that are written so that moderation does not see where they lead.
@Suite struct LinkEvasionTests {
    private static let simplex = "smp8.simplex.im/a#lXUjJW5vHYQzoLYgmi8GbxkGP41_kjefFvBrdwg-0Ok"

    private func covers(_ text: String) -> Bool { TextLinks(in: text).hosts.contains { DomainSet(["evil.example"]).covering($0) != nil } }

    /// Whether an app shows a link to the web in the text.
    private func showsWebLink(_ text: String) -> Bool {
        Markdown.parse(text)?.contains { part in
            switch part.format {
            case .uri, .hyperLink: true
            default: false
            }
        } == true
    }

    @Test(arguments: [1, 199, 200, 201, 1_000]) func manyLinksHideNone(_ count: Int) {
        let harmless = String(repeating: "a.org ", count: count)
        for link in ["evil.example", "https://evil.example/x", "[here](https://evil.example)"] { #expect(covers(harmless + link), "\(link)") }
        #expect(TextLinks(in: harmless + "https://" + Self.simplex).hasSimplexLink)
        #expect(TextLinks(in: harmless).hosts.count == count)
    }

    @Test(arguments: [
        // The name of a user, which browsers leave out.
        "https://good.example@evil.example", "https://good.example,@evil.example/x", "https://good.example'x@evil.example", "https://a:b@evil.example:8443/",
        "https://good.example)@evil.example", "https://@evil.example",
        // Percent escapes, which browsers decode.
        "https://evil%2Eexample/", "https://evil%2eexample", "https://%65vil.example", "https://a@evil%2Eexample:80/x",
        // A link within another one.
        "evil.example/?to=https://good.example", "https://good.example/?to=https://evil.example", "[https://good.example](https://evil.example)",
        // Signs around it.
        "(https://evil.example)", "*https://evil.example*", "<https://evil.example>", "see:https://evil.example", "https://evil.example.",
        "HTTPS://EVIL.EXAMPLE",
        "\"evil.example\"", "evil.example!", "evil.example;", "evil.example…", "{evil.example}", "(evil.example/x)", "_evil.example_", "mail@evil.example",
        "x\u{A0}evil.example\u{3000}y",
        "https://sub.evil.example",
    ])
    func aLinkToADomainIsFoundHoweverItIsWritten(_ text: String) {
        #expect(covers(text), "\(TextLinks(in: text).hosts)")
        #expect(covers("good.example \(text) good.example"))
    }

    @Test(arguments: [
        "https://good.example/evil.example", "https://good.example/@evil.example", "https://good.example?u=a@evil.example", "https://good.example#evil.example",
        "https://notevil.example", "https://evil.example.org", "evil.examples", "evil. example", "evil .example", "https://good.example/x,y@z",
    ])
    func whatLeadsElsewhereIsNoLinkToTheDomain(_ text: String) { #expect(!covers(text), "\(TextLinks(in: text).hosts)") }

    @Test(arguments: [
        "a.b", "EXAMPLE.com", "https://example.com/path", "*.example.com", "xn--bcher-kva.example", "bücher.example", "BÜCHER.example", "1.2.3.4", "a-b.c-d",
        "x.y.z.example", "\(String(repeating: "a", count: 63)).example", " example.com ",
    ])
    func aDomainThatAListCanHoldIsFoundInEachLinkToIt(_ text: String) throws {
        let domain = try #require(DomainSet.normalized(text)), set = DomainSet([domain])
        for link in ["https://\(domain)", "http://sub.\(domain)/x", "https://user@\(domain):80?q", "HTTPS://\(domain.uppercased())/", "https://\(domain)./"] {
            let hosts = TextLinks(in: "see \(link)").hosts
            #expect(hosts.contains { set.covering($0) == domain }, "\(link): \(hosts)")
        }
        #expect(!TextLinks(in: "https://not\(domain)/").hosts.contains { set.covering($0) != nil })
    }

    @Test(arguments: [
        "https://\(simplex)", "join https://\(simplex) now", "simplex:/a#lXUjJW5vHYQzoLYgmi8GbxkGP41_kjefFvBrdwg-0Ok?h=smp8.simplex.im",
        "[join](https://\(simplex))", "[join us here](https://\(simplex))", "x [join us here](https://\(simplex)) y", "a.org\nhttps://\(simplex)\nb.org",
    ])
    func aSimplexLinkIsFoundAlsoBehindWords(_ text: String) {
        let isShown = Markdown.parse(text)?.contains { $0.format?.isSimplexLink == true } == true
        #expect(isShown && TextLinks(in: text).hasSimplexLink)
    }

    @Test(arguments: ["https : // \(simplex)", "https://smp8.simplex.im/a# lXUjJW5vHYQzoLYgmi8GbxkGP41_kjefFvBrdwg-0Ok, no spaces"])
    func aSimplexLinkIsFoundWithSpacesInIt(_ text: String) { #expect(TextLinks(in: text).hasSimplexLink) }

    @Test(arguments: [
        "https://a.org/#x", "[join us](https://a.org/#x)", "simplex:/a", "simplex:/a#", "# heading https://a.org", "`https://x` #tag", "a.org#lXUjJW5v",
    ])
    func aFragmentMakesNoSimplexLink(_ text: String) { #expect(!TextLinks(in: text).hasSimplexLink) }

    /// Addresses out of their parts, by a fixed seed: moderation sees at least what the app shows.
    @Test(arguments: [1, 2, 3, 4]) func whatAnAppShowsAsALinkIsALink(_ seed: UInt64) {
        var random = SplitMix64(seed: seed), shown = 0
        func one(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }
        for _ in 1...3_000 {
            let user = one(["", "", "", "a@", "a:b@", "x,y@", "x'y@", "good.example@", "a!b*c@", "(a)@", "%41@", "@"])
            let host = one(["evil.example", "evil.example", "EVIL.example", "sub.evil.example", "evil%2Eexample", "%65vil.example"])
            let address =
                one(["http://", "https://"]) + user + host + one(["", "", ":80", ":", ":99999"]) + one(["", "/", "/x", "?q=1", "#f", "/a,b", "?a@b"])
            let text = one(["", "", "(", "see ", "*", "[x](", "[two words](", "a.org "]) + address + one(["", "", ".", ",", ")", "!", "* ", " more", "?!"])
            guard showsWebLink(text) else { continue }
            shown += 1
            #expect(!TextLinks(in: text).isEmpty, "\(text)")
            if WebAddress(address) != nil { #expect(covers(text), "\(text): \(TextLinks(in: text).hosts)") }
        }
        #expect(shown > 500, "the parts make links")
    }

    @Test(arguments: [
        ("README.md", false), ("main.py", false), ("see CHANGELOG.md.", false), ("(lib.rs)", false), ("./install.sh", false), ("archive.zip", false),
        ("backup-2024.zip", false), ("IMG2034.mov", false), ("7.30.pm", false), ("10.am", false), ("anything.py", false), ("casino.md", true),
        ("point.md", true), ("README.md/x", true), ("https://README.md", true), ("www.readme.md", true), ("shop.rs", true), ("win.zip", true),
        ("docs.readme.md", true), ("time.am", true), ("Did you see main.py?", false), ("main.py?x=1", true),
    ])
    func aNameThatIsOneOfAFileIsNoLink(_ text: String, _ isLink: Bool) { #expect(TextLinks(in: text).isEmpty == !isLink, "\(text)") }

    @Test func aTextThatIsAllSignsIsReadInTheEnd() {
        for sign in [".", ":", "://", "a.", "@", "](", "simplex:/", "https://", "#", "%2E", "\u{A0}", "\u{3000}."] {
            let text = String(repeating: sign, count: 15_000 / sign.utf8.count)
            let links = TextLinks(in: text)
            #expect(!links.hasSimplexLink && links.hosts.allSatisfy { $0.contains(".") }, "\(sign)")
        }
    }
}
