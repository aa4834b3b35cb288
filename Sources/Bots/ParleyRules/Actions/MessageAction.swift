internal import Parley

/// An action that sends a message: a text or a file.
protocol MessageAction: DeclaredAction {
    var message: RuleMessage { get }
}

extension MessageAction {
    var template: Template? { message.template }
    func objection(in condition: RuleCondition) -> ActionObjection? { message.objection(in: condition) }
    func text(_ values: TemplateValues) -> String? { template?.filled(with: values.mentioning) }
    func detail(_ values: TemplateValues) -> String? { message.detail(values.mentioning) }
}
