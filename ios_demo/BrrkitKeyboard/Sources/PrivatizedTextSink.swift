/// Where privatized text goes: an app implements it. What is for counting goes to an ``Outbox``.
///
/// It gets nothing but what a mechanism released: never what was typed. However well it reads, nobody wrote
/// it: it must never be shown as somebody's words.
public protocol PrivatizedTextSink: Sendable {
    /// Takes the words that one typed word became, usually one (a contraction has two).
    ///
    /// Called on a background queue, in the order of typing, only while there is consent. Collect words and
    /// upload them in batches: when each single word is sent tells an observer how somebody types.
    ///
    /// - Parameter source: what made them.
    /// - Throws: they can't be kept. They are lost, and what they cost is spent.
    func accept(_ words: [String], from source: ReportSource) throws
}
