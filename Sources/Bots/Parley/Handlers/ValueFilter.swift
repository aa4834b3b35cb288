public import ChatAPI

/// A condition on the context of a handler that also finds a value for the handler.
///
/// A handler of a trigger that such filters narrow gets the values beside its context, none of them optional:
///
/// ```swift
/// On(.anyMessage && .withFile && .fromMember, in: .groups) { message, file, member in
///     guard file.size > 1_000_000, !member.isModerator else { return }
///     try await message.moderate()
/// }
/// ```
public struct ValueFilter<Context: Sendable, Value: Sendable>: Sendable {
    let value: @Sendable (Context) -> Value?

    /// - Parameter value: the value, or nil if the filter does not hold; it must not wait or have effects.
    public init(_ value: @escaping @Sendable (Context) -> Value?) { self.value = value }
}

/// A context with the value that a ``ValueFilter`` found in it; a tuple of the values of two or three filters, in their order.
public struct FilteredContext<Context: Sendable, Value: Sendable>: Sendable {
    /// The context that a handler without filters gets.
    public let context: Context
    /// The value.
    public let value: Value
}

extension Trigger {
    /// The events of a trigger for which a filter finds a value.
    public static func && <Source, Value>(trigger: Trigger<Source>, filter: ValueFilter<Source, Value>) -> Self
    where Context == FilteredContext<Source, Value> {
        trigger.narrowed { source in filter.value(source).map { FilteredContext(context: source, value: $0) } }
    }

    /// The events of a trigger for which two filters find a value.
    public static func && <Source, First, Second>(trigger: Trigger<FilteredContext<Source, First>>, filter: ValueFilter<Source, Second>) -> Self
    where Context == FilteredContext<Source, (First, Second)> {
        trigger.narrowed { found in filter.value(found.context).map { FilteredContext(context: found.context, value: (found.value, $0)) } }
    }

    /// The events of a trigger for which three filters find a value.
    public static func && <Source, First, Second, Third>(
        trigger: Trigger<FilteredContext<Source, (First, Second)>>, filter: ValueFilter<Source, Third>
    ) -> Self where Context == FilteredContext<Source, (First, Second, Third)> {
        trigger.narrowed { found in
            filter.value(found.context).map { FilteredContext(context: found.context, value: (found.value.0, found.value.1, $0)) }
        }
    }

    /// The events of a narrowed trigger for which a filter holds.
    public static func && <Source, Value>(trigger: Self, filter: Filter<Source>) -> Self where Context == FilteredContext<Source, Value> {
        trigger.narrowed { filter.holds($0.context) ? $0 : nil }
    }
}

extension On {
    /// Handles the events of the trigger, with the value that its filter found.
    ///
    /// - Parameters:
    ///   - kinds: the kinds of chat that the handler answers in; nil as for other handlers.
    ///   - body: the work, given the context and the value.
    public init<Context: Sendable, Value: Sendable>(
        _ trigger: Trigger<FilteredContext<Context, Value>>, in kinds: ChatKinds? = nil, file: String = #fileID, line: Int = #line,
        _ body: @escaping @Sendable (Context, Value) async throws -> Void
    ) {
        self.init(trigger, in: kinds, file: file, line: line) { found in try await body(found.context, found.value) }
    }

    /// Handles the events of the trigger, with the values that its two filters found.
    public init<Context: Sendable, First: Sendable, Second: Sendable>(
        _ trigger: Trigger<FilteredContext<Context, (First, Second)>>, in kinds: ChatKinds? = nil, file: String = #fileID, line: Int = #line,
        _ body: @escaping @Sendable (Context, First, Second) async throws -> Void
    ) {
        self.init(trigger, in: kinds, file: file, line: line) { found in try await body(found.context, found.value.0, found.value.1) }
    }

    /// Handles the events of the trigger, with the values that its three filters found.
    public init<Context: Sendable, First: Sendable, Second: Sendable, Third: Sendable>(
        _ trigger: Trigger<FilteredContext<Context, (First, Second, Third)>>, in kinds: ChatKinds? = nil, file: String = #fileID, line: Int = #line,
        _ body: @escaping @Sendable (Context, First, Second, Third) async throws -> Void
    ) {
        self.init(trigger, in: kinds, file: file, line: line) { found in
            try await body(found.context, found.value.0, found.value.1, found.value.2)
        }
    }
}

extension ValueFilter where Context == MessageContext, Value == Attachment {
    /// The message has a file.
    public static var withFile: Self { Self(\.attachment) }
}

extension ValueFilter where Context == MessageContext, Value == BotMember {
    /// A member of a group wrote the message.
    public static var fromMember: Self { Self(\.member) }
}

extension ValueFilter where Context == MessageContext, Value == Contact {
    /// A contact wrote the message.
    public static var fromContact: Self { Self(\.chat.contact) }
}

extension ValueFilter where Context == MessageContext, Value == ItemQuote {
    /// The message quotes another.
    public static var withQuote: Self { Self(\.item.quotedItem) }
}

extension ValueFilter where Context == EditContext, Value == BotMember {
    /// A member of a group changed its message.
    public static var fromMember: Self { Self(\.member) }
}

extension ValueFilter where Context == ReactionContext, Value == BotMember {
    /// A member of a group reacted, and the group tells who.
    public static var fromMember: Self { Self(\.member) }
}
