import SMPProtocol
import SMPWire

/// Names that people type, and what routers say of them.
extension FuzzTarget {
    static let name = FuzzTarget("name") {
        [
            "#news", "@ann.simplex", "simplex:/name@a.b.acme.testing", "news.acme.co.uk",
            #"{"name":"a.simplex","nickname":"","website":"","location":"","simplexContact":["x"],"simplexChannel":[],"owner":"0x","resolver":"0x"}"#,
        ].map { Bytes($0.utf8) }
    } run: { input throws(FuzzFault) in
        try check(text: SimpleXDomain.self, input)
        try check(text: SimpleXName.self, input)
        try check(SimpleXDomain.self, input)
        if let domain = try? SimpleXDomain(wireBytes: input) {
            try FuzzFault.unless(domain.fullName.utf8.count <= SimpleXDomain.limit, "\(domain) is too long")
            let name = SimpleXName(.publicGroup, domain)
            try FuzzFault.unless((try? SimpleXName(wireString: name.shortName)) == name, "\(name.shortName) is read as another name")
        }
        if let record = try? NameRecord(json: input) {
            try FuzzFault.unless(record.json == input, "a record is not passed on as it came")
        }
    }
}
