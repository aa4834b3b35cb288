internal import CQRencode

/// A QR code drawn with half-block characters, two modules to a character cell.
public enum QRCode {
    /// Light modules around the code, which readers need.
    private static let margin = 2

    /// Draws a code with the text in lines; nil when the text is too long for a code (about 2,900 bytes) or empty.
    ///
    /// The lines are dark on light in any terminal, because each sets its own colours.
    public static func lines(for text: String) -> [String]? {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        guard let modules = code.pointee.data else { return nil }
        func isDark(_ row: Int, _ column: Int) -> Bool {
            (0..<width).contains(row) && (0..<width).contains(column) && modules[row * width + column] & 1 == 1
        }
        return stride(from: -margin, to: width + margin, by: 2).map { row in
            let cells = (-margin..<width + margin).map { column in
                switch (isDark(row, column), isDark(row + 1, column)) {
                case (false, false): "█"
                case (false, true): "▀"
                case (true, false): "▄"
                case (true, true): " "
                }
            }
            return "\u{1B}[97;40m\(cells.joined())\u{1B}[0m"
        }
    }
}
