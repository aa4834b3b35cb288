/// A key, or what else a terminal reports, as the line editor takes it.
enum TerminalKey: Equatable, Sendable {
    /// Text that was typed, without control characters.
    case text(String)
    /// Text that was pasted as a whole, with its line breaks.
    case paste(String)
    /// A paste above the bound of the editor, of which nothing is kept.
    case pasteTooLong
    case enter, lineBreak, complete
    case left, right, up, down, home, end, wordLeft, wordRight
    case deleteBackward, deleteForward, deleteWordBackward, deleteWordForward, deleteToStart, deleteToEnd
    /// Inserts the text that was deleted last.
    case yank
    case clearScreen, interrupt, endOfInput, suspend
}

/// Decodes the bytes of a terminal: UTF-8, control characters, escape sequences of xterm and its relatives, bracketed paste.
///
/// Sequences that are not known are dropped as a whole, wherever the bytes of a read end. Nothing is kept but a sequence that has begun and a paste,
/// which are bounded.
struct TerminalKeyDecoder: Sendable {
    /// The bytes of a paste that are kept at the most.
    static let longestPaste = LineEditor.longestText
    /// The bytes of a sequence that are kept at the most. The rest of a longer one is dropped.
    static let longestSequence = 32

    private enum State {
        case ground
        /// Behind `ESC`.
        case escape
        /// Behind `ESC [`, with the parameters so far.
        case control
        /// Behind `ESC [ [`, for a function key of the Linux console.
        case console
        /// Behind `ESC O`.
        case shift
        /// In a string of the terminal that ends with `BEL` or `ESC \`; true behind `ESC`.
        case string(Bool)
        case paste
    }

    private var state = State.ground
    private var parameters: [UInt8] = []
    private var text: [UInt8] = []
    private var pasted: [UInt8] = []
    private var isPasteTooLong = false
    private static let pasteEnd: [UInt8] = Array("\u{1B}[201~".utf8)

    /// True if what comes next may belong to a sequence that has begun.
    var isWaiting: Bool {
        switch state {
        case .ground, .paste: false
        default: true
        }
    }

    /// Takes the next bytes.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [TerminalKey] {
        var keys: [TerminalKey] = []
        for byte in bytes { take(byte, &keys) }
        endText(&keys, isLast: true)
        return keys
    }

    /// Gives up a sequence that has begun, because nothing followed: the key Escape was pressed.
    mutating func flush() { if isWaiting { (state, parameters) = (.ground, []) } }

    private mutating func take(_ byte: UInt8, _ keys: inout [TerminalKey]) {
        switch state {
        case .ground: takeGround(byte, &keys)
        case .escape: takeEscape(byte, &keys)
        case .control: takeControl(byte, &keys)
        case .console: state = .ground
        case .shift:
            state = .ground
            if byte == UInt8(ascii: "M") { keys.append(.enter) } else if let key = Self.arrow(byte) { keys.append(key) }
        case .string(let isEscaped):
            state = byte == 0x07 || isEscaped && byte == UInt8(ascii: "\\") ? .ground : .string(byte == 0x1B)
        case .paste: takePasted(byte, &keys)
        }
    }

    private mutating func takeGround(_ byte: UInt8, _ keys: inout [TerminalKey]) {
        guard byte < 0x20 || byte == 0x7F else {
            text.append(byte)
            return
        }
        endText(&keys, isLast: false)
        if byte == 0x1B { state = .escape } else if let key = Self.controlKey(byte) { keys.append(key) }
    }

    private mutating func takeEscape(_ byte: UInt8, _ keys: inout [TerminalKey]) {
        state = .ground
        switch byte {
        case 0x1B: state = .escape
        case UInt8(ascii: "["): (state, parameters) = (.control, [])
        case UInt8(ascii: "O"): state = .shift
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"): state = .string(false)
        case 0x0D, 0x0A: keys.append(.lineBreak)
        case 0x7F, 0x08: keys.append(.deleteWordBackward)
        case UInt8(ascii: "b"), UInt8(ascii: "B"): keys.append(.wordLeft)
        case UInt8(ascii: "f"), UInt8(ascii: "F"): keys.append(.wordRight)
        case UInt8(ascii: "d"), UInt8(ascii: "D"): keys.append(.deleteWordForward)
        // Another sequence of two or three characters, such as `ESC ( B`.
        case 0x20...0x2F: state = .console
        default: break
        }
    }

    private mutating func takeControl(_ byte: UInt8, _ keys: inout [TerminalKey]) {
        switch byte {
        case 0x20...0x3F: if parameters.count < Self.longestSequence { parameters.append(byte) }
        case 0x1B: state = .escape
        case UInt8(ascii: "[") where parameters.isEmpty: state = .console
        case 0x40...0x7E:
            state = .ground
            let text = String(decoding: parameters, as: UTF8.self)
            parameters = []
            if byte == UInt8(ascii: "~"), text == "200" {
                (state, pasted, isPasteTooLong) = (.paste, [], false)
            } else if let key = Self.key(byte, text) {
                keys.append(key)
            }
        // No byte of a sequence: it is broken off.
        default:
            state = .ground
            takeGround(byte, &keys)
        }
    }

    private mutating func takePasted(_ byte: UInt8, _ keys: inout [TerminalKey]) {
        pasted.append(byte)
        if byte == Self.pasteEnd.last, pasted.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd) {
            state = .ground
            pasted.removeLast(Self.pasteEnd.count)
            keys.append(isPasteTooLong || pasted.count > Self.longestPaste ? .pasteTooLong : .paste(Self.plain(pasted)))
            pasted = []
        } else if pasted.count > Self.longestPaste + Self.pasteEnd.count {
            isPasteTooLong = true
            pasted.removeFirst(pasted.count - Self.pasteEnd.count)
        }
    }

    /// The typed text, up to a character whose bytes are incomplete.
    private mutating func endText(_ keys: inout [TerminalKey], isLast: Bool) {
        guard !text.isEmpty else { return }
        var bytes = text
        text = []
        if isLast { text = Self.takeIncomplete(&bytes) }
        let typed = Self.plain(bytes).filter { $0 != "\n" && $0 != "\t" && $0 != "\u{FFFD}" }
        if !typed.isEmpty { keys.append(.text(typed)) }
    }

    /// Takes off the beginning of a character at the end.
    private static func takeIncomplete(_ bytes: inout [UInt8]) -> [UInt8] {
        for length in 1...3 where bytes.count >= length {
            let first = bytes[bytes.count - length]
            guard first & 0xC0 != 0x80 else { continue }
            let needed = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
            guard needed > length else { return [] }
            let rest = Array(bytes.suffix(length))
            bytes.removeLast(length)
            return rest
        }
        return []
    }

    /// Text without control characters; line breaks of all kinds become line feeds.
    private static func plain(_ bytes: [UInt8]) -> String {
        var plain = String.UnicodeScalarView(), previous: Unicode.Scalar?
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            defer { previous = scalar }
            switch scalar.value {
            case 0x0D: plain.append("\n")
            case 0x0A: if previous?.value != 0x0D { plain.append("\n") }
            case 0x09: plain.append("\t")
            case 0..<0x20, 0x7F..<0xA0: continue
            default: plain.append(scalar)
            }
        }
        return String(plain)
    }

    // MARK: Keys

    private static func controlKey(_ byte: UInt8) -> TerminalKey? {
        switch byte {
        case 0x01: .home
        case 0x02: .left
        case 0x03: .interrupt
        case 0x04: .endOfInput
        case 0x05: .end
        case 0x06: .right
        case 0x08, 0x7F: .deleteBackward
        case 0x09: .complete
        case 0x0A, 0x0D: .enter
        case 0x0B: .deleteToEnd
        case 0x0C: .clearScreen
        case 0x0E: .down
        // Ctrl-O, for terminals that do not tell Alt and Enter from Enter.
        case 0x0F: .lineBreak
        case 0x10: .up
        case 0x15: .deleteToStart
        case 0x17: .deleteWordBackward
        case 0x19: .yank
        case 0x1A: .suspend
        default: nil
        }
    }

    private static func arrow(_ byte: UInt8) -> TerminalKey? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "H"): .home
        default: nil
        }
    }

    /// The key of a sequence `ESC [ parameters final`.
    private static func key(_ final: UInt8, _ parameters: String) -> TerminalKey? {
        let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false).map { Int($0.prefix { $0 != ":" }) }
        // Shift is 1, Alt 2 and Ctrl 4, plus one.
        let modifiers = numbers.count > 1 ? max((numbers[1] ?? 1) - 1, 0) : 0, isModified = modifiers & 6 != 0
        if let key = arrow(final) {
            switch key {
            case .left where isModified: return .wordLeft
            case .right where isModified: return .wordRight
            default: return key
            }
        }
        switch (final, numbers.first ?? nil) {
        case (UInt8(ascii: "~"), 1), (UInt8(ascii: "~"), 7): return .home
        case (UInt8(ascii: "~"), 4), (UInt8(ascii: "~"), 8): return .end
        case (UInt8(ascii: "~"), 3): return isModified ? .deleteWordForward : .deleteForward
        // Enter with a modifier, where the terminal reports it.
        case (UInt8(ascii: "u"), 13): return modifiers == 0 ? .enter : .lineBreak
        case (UInt8(ascii: "~"), 27) where numbers.last == 13: return .lineBreak
        default: return nil
        }
    }
}
