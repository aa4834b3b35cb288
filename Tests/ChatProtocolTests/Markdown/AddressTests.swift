import ChatProtocol
import Testing

@Suite struct AddressTests {
    @Test(arguments: [
        "https://example.com", "http://a.b", "https://example.com/", "https://example.com:8080/a/b?c=d&e#f", "https://u:p@example.com/",
        "https://1.2.3.4", "https://10.0.0.1/x", "https://[::ffff:1.2.3.4]/", "https://[v1.x]/", "https://example.com?q=привет мир",
        "https://example.com/%20%zz", "https://xn--80ak6aa92e.com/", "https://example.com/a(b)c;d=e,f!$&'*+", "https://a.b?", "https://a.b#",
        "https://example.com/?a[]=1&b[x]=2", "http://example.com//a//b",
    ])
    func addressesAreRead(text: String) { #expect(WebAddress(text) != nil) }

    @Test(arguments: [
        "", "https", "https:", "https:/", "https://", "https:///path", "https://localhost", "https://localhost/a.b", "ftp://example.com",
        "HTTPS://example.com", "//example.com", "example.com", "https://exam ple.com", "https://example.com/путь", "https://пример.рф",
        "https://example.com/a b", "https://example.com:/x", "https://example.com:80x", "https://example.com#a#b", "https://example.com/#é",
        "https://[::1]/", "https://[1.2.3.4", "https://1.2.3.4.5", "https://example.com\"", "https://example.com<", "javascript:alert(1).x",
        "https://@example", "https://a.b\n", " https://a.b",
    ])
    func whatIsNoAddressIsRefused(text: String) { #expect(WebAddress(text) == nil) }

    @Test(arguments: [
        ("https://example.com/?utm_source=a", "https://example.com/"), ("https://u@example.com/?utm=1", "https://u:@example.com/"),
        ("https://u:p:q@example.com/?utm=1", "https://u:p:q@example.com/"), ("https://example.com:0443/?utm=1&q=x", "https://example.com:443/?q=x"),
        ("https://example.com/a%2Fb c?utm=1".replacing(" ", with: "+"), "https://example.com/a/b%20c"),
        ("https://example.com/?q=a+b%26c&utm=1", "https://example.com/?q=a%20b%26c"), ("https://example.com/?a&utm=1#f?g", "https://example.com/?a=#f?g"),
        ("https://example.com/?q=%zz&utm=1", "https://example.com/?q=%25zz"), ("https://example.com/?q=é&utm=1", "https://example.com/?q=%C3%A9"),
    ])
    func cleanedAddressesAreWrittenAnew(text: String, clean: String) {
        #expect(WebAddress(text)?.sanitized(.known)?.text == clean)
    }

    @Test func parametersWithoutANameDoNotCount() {
        #expect(WebAddress("https://example.com/?=1&&utm=2")?.sanitized(.known)?.text == "https://example.com/")
        #expect(WebAddress("https://example.com/?&=1")?.sanitized(.all) == nil)
    }

    @Test func sitesKeepTheirOwnParametersAlsoBelowThem() {
        func clean(_ text: String) -> String? { WebAddress(text)?.sanitized(.all)?.text }
        #expect(clean("https://m.youtube.com/Watch1?v=1&x=2") == "https://m.youtube.com/Watch1?v=1")
        #expect(clean("https://notyoutube.com/Watch1?v=1&q=2") == "https://notyoutube.com/Watch1?q=2")
        #expect(clean("https://example.com/page?page_id=1") == "https://example.com/page")
        #expect(clean("https://example.com/page?ok=1") == nil)
    }

    @Test(arguments: [
        ("a@b.co", true), ("a.b.c@x-y.org", true), ("a+b@c.d", true), ("\"a@b\"@c.de", true), ("a@[1.2.3.4]", false), ("a(c)@b.co", true),
        ("a@b", true), ("o'neil@b.co", true), ("!#$%&'*+/=?^_`{|}~-@b.co", true), ("a@-b.co", false), ("a@b-.co", false), ("a@b..co", false),
        (".a@b.co", false), ("a..b@c.de", false), ("a@b_c.de", false), ("a@b@c.de", false), ("a@(", false), ("\"a@b.co", false), ("é@b.co", false),
        ("a@é.co", false), ("a@\(String(repeating: "x", count: 64)).co", false), ("a@\(String(repeating: "x", count: 63)).co", true),
        ("a@\(Array(repeating: "abcdefgh", count: 29).joined(separator: ".")).co", false),
    ])
    func emailAddressesAreRecognised(text: String, isEmail: Bool) {
        let pieces = Markdown.parse("x \(text)") ?? []
        #expect(pieces.contains { $0.format == .email && $0.text == text } == isEmail)
    }
}
