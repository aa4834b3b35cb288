import ChatAPI
import ChatProtocol

/// A line that a person types in `parley chat`.
///
/// A line that begins with a colon is for the program; any other, also one that begins with a slash, is a message, because bots
/// take commands with a slash. Two colons at the beginning stand for a message that begins with one.
enum ChatLine: Equatable {
    case message(String)
    case connect(String)
    case invite
    case address
    case list
    case open(String)
    case history(Int)
    /// The last messages with the numbers by which other lines name them.
    case numbers(Int)
    case accept(String)
    case reject(String)
    case delete(String)
    case reply(String, item: ChatItemID?)
    case react(String, added: Bool, item: ChatItemID?)
    case edit(String, item: ChatItemID?)
    case unsend(item: ChatItemID?)
    case sync(String?)
    case send(file: String)
    case save(item: ChatItemID?, path: String?)
    case group(GroupLine)
    case wait(seconds: Int, text: String?)
    case help
    case quit
    case nothing

    /// The error in a line.
    struct Fault: Error, Equatable {
        let message: String
    }

    static let usage = """
        :connect LINK      connect to somebody by a link
        :invite            make a one-time link for somebody else
        :address           show your address, and make one if need be
        :list              list the chats
        :open NAME         talk to a contact or a group
        :history [N]       show the last messages of the chat (20)
        :numbers [N]       show them with their numbers, for #N in other lines (20)
        :accept NAME       accept a contact request, or let a member into the open group who waits for it
        :reject NAME       refuse a contact request, or such a member
        :delete NAME       delete a contact or a group
        :reply TEXT        reply with a quote of the last message that you got
        :react EMOJI       react to it; :unreact EMOJI takes that back
        :edit TEXT         change the last message that you sent
        :unsend            delete it for both sides
        :send FILE         send a file; a picture is sent with a preview
        :save [PATH]       receive the last file that you got
        :sync [NAME]       agree on new keys with a contact, after a backup was restored
        :wait [SECONDS] [TEXT]
                           wait for a message, or for one with that text, that comes after what you sent last (30)
        \(GroupLine.usage)
        :help              this list
        :quit              leave; Ctrl-D does the same
        :reply, :react, :unreact, :edit, :unsend, :save, :moderate, :report, :comment and :comments take another message by its number:
                           :reply #12 TEXT
        Anything else is sent to the open chat; begin with :: to send a line that begins with a colon.
        """

    static let words =
        [
            "connect", "invite", "address", "list", "open", "history", "numbers", "accept", "reject", "delete", "reply", "react", "unreact", "edit", "unsend",
            "send", "save", "sync", "wait",
        ] + GroupLine.words + ["help", "quit"]

    init(_ text: String) throws(Fault) {
        guard text.first == ":" else {
            self = text.allSatisfy(\.isWhitespace) ? .nothing : .message(text)
            return
        }
        if text.hasPrefix("::") {
            self = .message(String(text.dropFirst()))
            return
        }
        let word = text.dropFirst().prefix { !$0.isWhitespace }
        let argument = String(text[word.endIndex...].trimmed)
        func needed(_ what: String) throws(Fault) -> String {
            guard !argument.isEmpty else { throw Fault(message: ":\(word) needs \(what)") }
            return argument
        }
        func number(_ fallback: Int, in range: ClosedRange<Int>) throws(Fault) -> Int {
            if argument.isEmpty { return fallback }
            guard let number = Int(argument), range.contains(number) else {
                throw Fault(message: ":\(word) takes a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        /// An item's number before the rest.
        func numbered() throws(Fault) -> (ChatItemID?, String) {
            guard argument.hasPrefix("#") else { return (nil, argument) }
            let number = argument.dropFirst().prefix { !$0.isWhitespace }
            guard let id = ChatItemID(number), id > 0 else { throw Fault(message: ":\(word) takes the number of a message after #") }
            return (id, String(argument[number.endIndex...].trimmed))
        }
        func numbered(_ what: String) throws(Fault) -> (ChatItemID?, String) {
            let (id, rest) = try numbered()
            guard !rest.isEmpty else { throw Fault(message: ":\(word) needs \(what)") }
            return (id, rest)
        }
        /// An item's number, and nothing else.
        func onlyNumber() throws(Fault) -> ChatItemID? {
            let (id, rest) = try numbered()
            guard rest.isEmpty else { throw Fault(message: ":\(word) takes nothing but #NUMBER") }
            return id
        }
        switch word {
        case "connect": self = .connect(try needed("a link"))
        case "invite": self = .invite
        case "address": self = .address
        case "list": self = .list
        case "open": self = .open(try needed("a name"))
        case "history": self = .history(try number(20, in: 1...1000))
        case "numbers": self = .numbers(try number(20, in: 1...1000))
        case "accept": self = .accept(try needed("a name"))
        case "reject": self = .reject(try needed("a name"))
        case "delete": self = .delete(try needed("a name"))
        case "reply":
            let (item, text) = try numbered("a text")
            self = .reply(text, item: item)
        case "react", "unreact":
            let (item, emoji) = try numbered("a reaction")
            self = .react(emoji, added: word == "react", item: item)
        case "edit":
            let (item, text) = try numbered("the new text")
            self = .edit(text, item: item)
        case "unsend": self = .unsend(item: try onlyNumber())
        case "send": self = .send(file: try needed("the path of a file"))
        case "save":
            let (item, path) = try numbered()
            self = .save(item: item, path: path.isEmpty ? nil : path)
        case "moderate": self = .group(.moderate(item: try onlyNumber()))
        case "report":
            let (item, text) = try numbered()
            self = .group(try GroupLine.report(text, item: item))
        case "comment":
            let (item, text) = try numbered("a text")
            self = .group(.comment(text, post: item))
        case "comments": self = .group(.comments(post: try onlyNumber()))
        case "sync": self = .sync(argument.isEmpty ? nil : argument)
        case "wait": self = try Self.wait(argument)
        case "help": self = .help
        case "quit": self = .quit
        default:
            if let line = try GroupLine(String(word), argument) {
                self = .group(line)
                return
            }
            let known = Self.words.map { ":\($0)" }.joined(separator: " ")
            throw Fault(message: "there is no :\(word); there are \(known)")
        }
    }
}

extension ChatLine {
    private static let longestWait = 3600

    /// `[SECONDS] [TEXT]`: a number at the beginning is the seconds.
    private static func wait(_ argument: String) throws(Fault) -> ChatLine {
        let first = argument.prefix { !$0.isWhitespace }
        guard !first.isEmpty, first.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return .wait(seconds: 30, text: argument.isEmpty ? nil : argument)
        }
        guard let seconds = Int(first), (1...longestWait).contains(seconds) else {
            throw Fault(message: ":wait takes a number of seconds from 1 to \(longestWait)")
        }
        let text = String(argument[first.endIndex...].trimmed)
        return .wait(seconds: seconds, text: text.isEmpty ? nil : text)
    }
}

extension Substring {
    var trimmed: Substring {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
