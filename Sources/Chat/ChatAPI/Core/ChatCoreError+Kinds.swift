extension ChatCoreError {
    /// There is no profile yet.
    public var isNoActiveUser: Bool { code.rawValue.hasSuffix("noActiveUser") }

    /// The profile has no address.
    public var isAddressNotFound: Bool { code.rawValue.hasSuffix("userContactLinkNotFound") }
}
