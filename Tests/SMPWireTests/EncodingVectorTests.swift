import SMPWire
import Testing
import VectorSupport

@Suite struct EncodingVectorTests {
    @Test func everyRangeInTheVectorsReadsAndPrints() throws {
        for item in try Vectors.cases("encoding", kinds: "binary") where item["type"].string == "VersionRange" {
            let bytes = try #require(item["hex"].hex)
            #expect(try VersionRange(wireBytes: bytes).wireBytes == bytes)
        }
    }
}
