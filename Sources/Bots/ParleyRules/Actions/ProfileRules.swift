/// The rules of a profile, ready to be run.
struct ProfileRules: Sendable {
    /// The display name of the bot.
    let name: String
    let rules: RuleSet
    let forms: [String: FormSpec]
    /// The addresses of webhooks, by their rules and names.
    let webhooks: [String: WebhookSpec]

    init(name: String, rules: RuleSet, forms: [String: FormSpec]) {
        (self.name, self.rules, self.forms) = (name, rules, forms)
        webhooks = rules.webhooks
    }
}
