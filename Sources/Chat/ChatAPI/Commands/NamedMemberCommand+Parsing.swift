import ChatProtocol

extension NamedMemberCommand {
    static let forms: [CommandForm] = [
        .member("/add ", "/a ") { r throws(CommandMismatch) in .add(r.isAtEnd ? .member : try r.spaceRole()) },
        .member("/accept member ") { r throws(CommandMismatch) in .accept(r.isAtEnd ? .member : try r.spaceRole()) },
        .member("/member role ", "/mr ") { r throws(CommandMismatch) in .setRole(try r.spaceRole()) },
        .member("/block for all #") { _ in .blockForAll(true) },
        .member("/unblock for all #") { _ in .blockForAll(false) },
        .member("/block #") { _ in .showMessages(false) },
        .member("/unblock #") { _ in .showMessages(true) },
        .member("/info #", "/i #") { _ in .info },
        .member("/queue info #", "/qi #") { _ in .queueInfo },
        .member("/switch #") { _ in .switchQueue },
        .member("/abort switch #") { _ in .abortSwitch },
        .member("/sync #") { r in .syncRatchet(force: r.skip(" force=on")) },
        .member("/code #") { _ in .securityCode },
        .member("/verify #") { r in .verify(code: r.securityCode()) },
        .member("/enable #") { _ in .enable },
    ]
}

extension CommandForm {
    /// A command about a member of the group of a name.
    fileprivate static func member(
        _ beginnings: String...,
        read: @escaping @Sendable (inout CommandReader) throws(CommandMismatch) -> NamedMemberCommand
    ) -> CommandForm {
        CommandForm(beginnings) { r throws(CommandMismatch) in
            _ = r.skip("#")
            let (group, member) = try r.memberNames()
            return .console(.member(group: group, member: member, try read(&r)))
        }
    }
}
