import Testing

@testable import ChatProtocol

@Suite struct JSONWriterTests {
    /// An item of a list, together with what it shares with its neighbours.
    private struct Entry: JSONObjectConvertible, Hashable {
        var shared: [String]
        var number: Int

        init(_ shared: [String], _ number: Int) { (self.shared, self.number) = (shared, number) }

        init(object: JSONObject) throws(JSONError) {
            shared = try object.required("shared")
            number = try object.required("number")
        }

        func write(into object: inout JSONObjectWriter) {
            object.add("shared", repeated: shared)
            object["number"] = number
        }
    }

    private let entries = [Entry(["a\"b", "ü"], 1), Entry(["a\"b", "ü"], 2), Entry([], 3), Entry([], 4), Entry(["a\"b", "ü"], 5)]

    @Test func `A value that is copied for its neighbours is the text of its own value for each`() {
        #expect(entries.jsonText == entries.json.text)
        #expect(
            Array(entries.prefix(3)).jsonText
                == #"[{"shared":["a\"b","ü"],"number":1},{"shared":["a\"b","ü"],"number":2},{"shared":[],"number":3}]"#)
    }

    @Test func `Members in order of their names are written without copies`() {
        #expect(entries.json.bytes(order: .sorted).starts(with: #"[{"number":1,"shared":["#.utf8))
    }

    @Test func `A value that was dropped is not copied`() {
        var writer = JSONWriter()
        writer.write(repeated: "dropped")
        writer.truncate(to: 0)
        writer.write(string: "x")
        writer.write(repeated: "dropped")
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #""x""dropped""#)
    }

    @Test func `A text remembers what was written in the one before it, the last value of each type`() {
        var memory = JSONWriter.Memory()
        for entry in entries + entries.reversed() {
            var writer = JSONWriter(remembering: memory)
            writer.write(repeated: entry.number)
            writer.write(string: "")
            entry.write(to: &writer)
            #expect(String(decoding: writer.bytes, as: UTF8.self) == "\(entry.number)\"\"" + entry.json.text)
            memory = writer.memory
        }
    }

    @Test func `Values of different types are not taken for each other`() {
        var writer = JSONWriter()
        writer.write(repeated: Int64(1))
        writer.write(repeated: 1)
        writer.write(repeated: "1")
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"11"1""#)
    }

    @Test func `Of an object one member can be asked for alone`() {
        var object = JSONObjectWriter(only: "number")
        entries[1].write(into: &object)
        #expect(object.json == ["number": 2])
    }
}
