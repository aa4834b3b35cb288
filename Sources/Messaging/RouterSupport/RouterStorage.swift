/// The place of what a router keeps.
package enum RouterStorage: Sendable, Hashable {
    /// Certificates, journal and what else there is in this folder, which is made if there is none. Keys and data are readable by the owner only.
    case folder(String)
    /// Nothing outlives the process.
    case memory
}
