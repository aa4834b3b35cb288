/// The values that a template of a place in the file can name.
enum TemplateScope {
    /// A rule; nil when its condition could not be read: then only the shape is checked.
    case rule(RuleCondition?)
    /// A form with these answers.
    case form([String])
    /// A message that is sent at times.
    case schedule

    /// The reason why a value is missing; nil if it is there.
    func problem(with variable: Template.Variable) -> String? {
        switch self {
        case .rule(let condition): return condition.flatMap { Template.problem(with: variable, in: $0) }
        case .form:
            switch variable {
            case .botName, .contactName, .contactAlias, .memberName, .memberAlias, .groupName, .date, .time, .form: return nil
            default: return "a form has its answers, names, the date and the time"
            }
        case .schedule:
            switch variable {
            case .botName, .date, .time: return nil
            default: return "nobody has written"
            }
        }
    }

    var condition: RuleCondition? { if case .rule(let condition) = self { condition } else { nil } }
    /// The names of answers; nil outside of forms.
    var fields: [String]? { if case .form(let names) = self { names } else { nil } }
}
