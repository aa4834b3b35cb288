package import SMPProtocol

/// Finds out what names stand for, in place of the router that is asked.
package protocol NameResolver: Sendable {
    /// Looks a name up.
    func resolve(_ domain: SimpleXDomain) async -> Result<NameRecord, NameResolutionError>
}
