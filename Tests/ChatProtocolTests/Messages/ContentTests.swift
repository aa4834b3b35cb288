import ChatProtocol
import Testing

@Suite struct ContentTests {
    @Test func contentStandsForItselfInLists() {
        #expect(MessageContent.text("hi").summary == "hi")
        #expect(MessageContent.voice(text: "", duration: 7).summary == "voice message (00:07)")
        #expect(MessageContent.voice(text: "listen", duration: 605).summary == "voice message (10:05); listen")
        #expect(MessageContent.voice(text: "", duration: 6000).summary == "voice message (100:00)")
        #expect(MessageContent.report(text: "", reason: .spam).summary == "report spam")
        #expect(MessageContent.report(text: "look", reason: .unknown("new")).summary == "report new: look")
        #expect(MessageContent.image(text: "", image: ImageData("")).summary == "")
        for duration in [Int.min, -1, Int.max] { #expect(!MessageContent.durationText(duration).isEmpty) }
    }

    @Test func onlyWhatWasTypedOfAVoiceMessageIsText() {
        #expect(!MessageContent.voice(text: "", duration: 7).hasText)
        #expect(MessageContent.voice(text: "a", duration: 7).hasText)
        #expect(MessageContent.report(text: "", reason: .other).hasText)
        #expect(!MessageContent.file("").hasText)
        #expect(MessageContent.voice(text: "", duration: 7).isVoice)
        #expect(MessageContent.report(text: "", reason: .other).isReport)
    }

    @Test func contentOfNewerClientsIsKeptWhateverItHolds() throws {
        for text in [
            "{\"type\":\"poll\",\"options\":[1.0,null],\"text\":\"vote\"}", "{\"type\":\"poll\",\"text\":5}", "{\"type\":\"poll\"}", "{\"type\":\"\"}",
        ] {
            let content = try MessageContent(parsing: text)
            #expect(content.json.text == text)
            #expect(content.text == (text.contains("vote") ? "vote" : MessageContent.unknownText))
            guard case .unknown = content.type else {
                Issue.record("\(text) is unknown")
                return
            }
        }
        #expect(throws: JSONError.self) { try MessageContent(parsing: "{\"type\":5,\"text\":\"\"}") }
        #expect(throws: JSONError.self) { try MessageContent(parsing: "\"text\"") }
    }

    @Test func previewsOfUnknownContentAreKept() throws {
        #expect(try LinkContent(parsing: "{\"type\":\"video\"}") == .video(duration: nil))
        #expect(try LinkContent(parsing: "{\"type\":\"video\",\"duration\":null}") == .video(duration: nil))
        #expect(try LinkContent(parsing: "{\"type\":\"video\",\"duration\":3}") == .video(duration: 3))
        let odd = try LinkContent(parsing: "{\"type\":\"video\",\"duration\":\"long\"}")
        #expect(odd.json == ["type": "video", "duration": "long"])
        #expect(throws: JSONError.self) { try LinkContent(parsing: "{}") }
    }

    @Test func reactionsAreOfTheKnownSetOrUnknown() throws {
        #expect(ReactionEmoji.allCases.map(\.text) == ["👍", "👎", "😀", "😂", "😢", "❤", "🚀", "✅"])
        for emoji in ReactionEmoji.allCases {
            #expect(try MessageReaction(json: MessageReaction.emoji(emoji).json) == .emoji(emoji))
        }
        for text in ["🎉", "❤️", "👍👍", "", "a", "👍🏽"] {
            #expect(ReactionEmoji(text) == nil)
            let json: JSONValue = ["type": "emoji", "emoji": .string(text), "x": 1]
            guard case .unknown("emoji", _) = try MessageReaction(json: json) else {
                Issue.record("\(text) is unknown")
                continue
            }
            #expect(try MessageReaction(json: json).json == json)
        }
        #expect(try MessageReaction(json: ["type": "emoji"]).json == ["type": "emoji"])
        #expect(throws: JSONError.self) { try MessageReaction(json: ["emoji": "👍"]) }
    }

    @Test func signaturesOfLinksHaveTheirSize() {
        let short: JSONValue = ["chatBinding": "RwECAw==", "ownerSig": "AQID"]
        #expect(throws: JSONError.self) { try LinkOwnerSignature(json: short) }
    }

    @Test func scopesThatAreNotKnownAreRefusedRatherThanShownToAll() {
        #expect(throws: JSONError.self) { try MessageScope(json: ["type": "reports"]) }
        #expect(throws: JSONError.self) { try MessageScope(json: ["type": "member"]) }
    }

    @Test func fileSizesAreWholeNumbers() throws {
        let json: JSONValue = ["fileName": "a", "fileSize": 5_000_000_000]
        #expect(try FileInvitation(json: json).size == 5_000_000_000)
        for size in ["1.5", "1e30", "99999999999999999999", "\"5\""] {
            #expect(throws: JSONError.self) { try FileInvitation(parsing: "{\"fileName\":\"a\",\"fileSize\":\(size)}") }
        }
    }
}
