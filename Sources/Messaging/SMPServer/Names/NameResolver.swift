package import SMPProtocol

/// Finds out what names stand for, in place of the router that is asked.
package protocol NameResolver: Sendable {
    /// Looks a name up. The reason of a failure is logged: it must not contain the name.
    func resolve(_ domain: SimpleXDomain) async -> Result<NameRecord, NameResolutionError>
}
