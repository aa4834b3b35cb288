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
    case accept(String)
    case reject(String)
    case delete(String)
    case wait(seconds: Int)
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
        :open NAME         talk to a contact
        :history [N]       show the last messages of the chat (20)
        :accept NAME       accept a contact request
        :reject NAME       refuse a contact request
        :delete NAME       delete a contact
        :wait [SECONDS]    wait for a message that comes after what you sent last (30)
        :help              this list
        :quit              leave; Ctrl-D does the same
        Anything else is sent to the open chat; begin with :: to send a line that begins with a colon.
        """

    static let words = ["connect", "invite", "address", "list", "open", "history", "accept", "reject", "delete", "wait", "help", "quit"]

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
        switch word {
        case "connect": self = .connect(try needed("a link"))
        case "invite": self = .invite
        case "address": self = .address
        case "list": self = .list
        case "open": self = .open(try needed("a name"))
        case "history": self = .history(try number(20, in: 1...1000))
        case "accept": self = .accept(try needed("a name"))
        case "reject": self = .reject(try needed("a name"))
        case "delete": self = .delete(try needed("a name"))
        case "wait": self = .wait(seconds: try number(30, in: 1...3600))
        case "help": self = .help
        case "quit": self = .quit
        default:
            let known = Self.words.map { ":\($0)" }.joined(separator: " ")
            throw Fault(message: "there is no :\(word); there are \(known)")
        }
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
