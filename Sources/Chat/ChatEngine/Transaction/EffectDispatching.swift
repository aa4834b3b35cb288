/// Passes on the effects of committed transactions.
protocol EffectDispatching: Sendable {
    /// Dispatches the effects of one transaction. Calls are made in commit order.
    func dispatch(_ effects: Effects)
}
