import ChatProtocol
import Testing

@testable import ChatRules

@Suite("Names of files from others")
struct FileNameTests {
    @Test(
        "of a path the last part is kept, whatever divides it",
        arguments: [
            ("photo.jpg", "photo.jpg"), ("/etc/passwd", "passwd"), ("..\\..\\boot.ini", "boot.ini"), ("a/b\\c", "c"), ("folder/", "folder"), ("a\0b", "b"),
            ("a/\u{301}b", "\u{301}b"), ("x\r\ny", "xy"), ("\u{202E}gpj.exe", "gpj.exe"),
        ])
    func paths(name: String, safe: String) { #expect(FileNames.safe(name) == safe) }

    @Test("what would name a folder or nothing is called file", arguments: ["", ".", "..", "/", "../..", "\\", "\0", "\n", "\u{2028}", "\u{200B}", "./."])
    func nameless(name: String) { #expect(FileNames.safe(name) == "file") }

    @Test("dots at the beginning stay: a hidden file is a file", arguments: [".profile", "...", ".a."])
    func dots(name: String) { #expect(FileNames.safe(name) == name) }

    @Test("a name is cut at 220 bytes and keeps its extension")
    func long() {
        let fits = String(repeating: "a", count: 216) + ".txt", longer = "a" + fits
        #expect(FileNames.safe(fits) == fits && FileNames.safe(longer) == fits)
        let accents = FileNames.safe(String(repeating: "é", count: 200) + ".txt")
        #expect(accents.utf8.count == 220 && accents.hasSuffix("é.txt"))
        let odd = FileNames.safe("a" + String(repeating: "é", count: 200) + ".txt")
        #expect(odd.utf8.count == 219 && odd.hasSuffix("é.txt"), "no letter is cut in two")
    }

    @Test("what is too long for an extension is a part of the name")
    func longExtension() {
        let dotted = String(repeating: "a", count: 300)
        #expect(FileNames.safe(dotted + "." + String(repeating: "b", count: 31)).hasSuffix("a." + String(repeating: "b", count: 31)))
        #expect(FileNames.safe(dotted + "." + String(repeating: "b", count: 32)) == String(repeating: "a", count: 220))
        #expect(FileNames.safe("." + String(repeating: "b", count: 300)) == "." + String(repeating: "b", count: 219), "without a name before the dot")
    }

    @Test(
        "every name is safe to keep a file under",
        arguments: [
            String(repeating: "👩‍👩‍👧‍👦", count: 100), String(repeating: "../", count: 1_000), "a" + String(repeating: "\u{301}", count: 1_000),
            String(repeating: ".", count: 300),
            String(repeating: "\u{200D}", count: 500) + ".txt", String(repeating: "a\u{200B}", count: 300),
        ])
    func bounds(name: String) {
        let safe = FileNames.safe(name)
        #expect((1...220).contains(safe.utf8.count) && !safe.contains("/") && safe != "." && safe != "..")
        #expect(FileNames.safe(safe) == safe, "a safe name stays as it is")
    }

    @Test("forwarded pictures and recordings are named by the time, other files by their name")
    func forwarded() {
        let time = UTCTimestamp(seconds: 1_790_000_000, nanoseconds: 5)
        let image = ImageData("data:image/png;base64,AA==")
        #expect(FileNames.forwarded("at_home.jpg", .image(text: "", image: image), at: time) == "IMG_20260921_141320.jpg")
        #expect(FileNames.forwarded("me.m4a", .voice(text: "", duration: 1), at: time) == "voice_20260921_141320.m4a")
        #expect(FileNames.forwarded("me", .video(text: "", image: image, duration: 1), at: time) == "video_20260921_141320")
        #expect(FileNames.forwarded("notes/plan.pdf", .file(""), at: time) == "plan.pdf")
        #expect(FileNames.forwarded("x./../y", .image(text: "", image: image), at: time) == "y", "an extension cannot leave the folder")
    }
}
