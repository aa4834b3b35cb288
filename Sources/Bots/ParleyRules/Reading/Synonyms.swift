/// Words of other programs for keys of the format.
enum Synonyms {
    private static let words: [String: [String]] = [
        "keyword": ["words"], "keywords": ["words"], "word": ["words"], "phrase": ["contains"], "phrases": ["contains"], "includes": ["contains"],
        "regex": ["pattern"], "regexp": ["pattern"], "match": ["pattern"], "matches": ["pattern"], "body": ["text"], "title": ["text"],
        "photo": ["message"], "picture": ["message"], "image": ["message"], "video": ["message"], "voice": ["message"], "media": ["message"],
        "attachment": ["file"], "document": ["file"], "url": ["link"], "links": ["link"], "urls": ["link"], "domain": ["domains"],
        "emoji": ["reaction", "react"],
        "user": ["from"], "author": ["from"], "sender": ["from"], "users": ["from"], "roles": ["role"], "channel": ["chat"], "room": ["chat"],
        "join": ["member"], "joined": ["member"], "left": ["member"], "start": ["connected"], "cmd": ["command"], "commands": ["command"], "slash": ["command"],
        "respond": ["reply"], "response": ["reply"], "answer": ["reply"], "comment": ["reply"], "message": ["send", "text"], "say": ["send"],
        "print": ["send"], "notify": ["tell"], "alert": ["tell"], "modmail": ["tell"], "delete": ["moderate"], "hide": ["moderate"],
        "ban": ["block"], "mute": ["role", "block"], "timeout": ["role", "block"], "silence": ["role", "block"], "kick": ["remove"], "strike": ["warn"],
        "warning": ["warn"],
        "approve": ["accept"], "admit": ["accept"], "deny": ["reject"], "decline": ["reject"], "http": ["webhook"], "request": ["webhook"],
        "announce": ["broadcast"], "trigger": ["when"], "if": ["when"], "condition": ["when"], "conditions": ["when"], "on": ["when"], "do": ["then"],
        "action": ["then"], "actions": ["then"], "except": ["unless"], "but": ["unless"], "triggers": ["rules"], "handlers": ["rules"], "bots": ["profiles"],
        "name": ["id"], "schedule": ["schedules"], "timers": ["schedules"], "greeting": ["welcome"], "description": ["bio"], "avatar": ["picture"],
    ]

    /// The keys that a word may mean, the likeliest first.
    static func of(_ word: String) -> [String] { words[word.lowercased()] ?? [] }
}
