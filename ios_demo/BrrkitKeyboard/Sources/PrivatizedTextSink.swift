/// Receives privatized text. An app implements it. Words for counting go to an ``Outbox``.
///
/// It receives only outputs of a mechanism, never typed text. Nobody wrote these words, however well they
/// read. Never present them as something a person wrote.
public protocol PrivatizedTextSink: Sendable {
    /// Takes the privatized words of one typed word: usually one, but two for a contraction.
    ///
    /// Called on a background queue, in the order of typing, only while there is consent. Collect words and
    /// upload them in batches: the times of single uploads reveal to an observer how a person types.
    ///
    /// - Parameter source: the bundle and the setting that released them.
    /// - Throws: they can't be kept. They are lost, and their cost stays spent.
    func accept(_ words: [String], from source: ReportSource) throws
}
