import ChatAPI

extension Contact {
    /// True if messages can be sent.
    var isReady: Bool { activeConnection?.status == .ready || activeConnection?.status == .sendReady }
}
