/// Why an action of a rule could not be run.
enum RuleFailure: Error, CustomStringConvertible {
    case noChat(String)
    case noChannel(String)
    case noProfile(String)
    case tooManyWebhooks(String)

    var description: String {
        switch self {
        case .tooManyWebhooks(let host):
            "too many webhooks wait already, and one more for \(host) is left out: at most \(WebhookQueue.maximumCount) wait"
        case .noChannel(let name): "there is no channel \"\(name)\" yet: its relays may not have been reached"
        case .noProfile(let id): "there is no profile \"\(id)\" in this process"
        case .noChat(let name):
            "no trusted contact and no declared group or channel is named \"\(name)\": declare the group or channel, or name the person in trusted-contacts and give them the link"
        }
    }
}
