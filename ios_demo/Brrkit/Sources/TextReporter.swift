import Foundation

/// Collects a day's frames of text. Their number is fixed, whatever is typed.
///
/// Texts are cut into pieces of one frame's length. Fillers, which are releases of unknown words, complete the
/// last piece of a text. A day begins with frames of fillers only. Each piece replaces one of them until none is
/// left. Later pieces replace an earlier piece, or are dropped. The amount and times of typing therefore change
/// only the words in frames. Each word is released when it is typed, and nothing typed is held. Threads can share
/// it. `docs/explanation/proofs.md`, "Frames", bounds the privacy loss of a person's day; `spec/reports.md`
/// specifies the format.
///
/// Proof: `docs/explanation/proofs.md`, "Frames".
public final class TextReporter: @unchecked Sendable {  // the lock is held for the state
    /// The piece in progress of a text.
    private struct Piece {
        var stream: Privatizer.Stream
        var words = [String]()

        init(_ privatizer: Privatizer) { stream = privatizer.stream() }
    }

    private struct State {
        var day: DayFrames?
        var piece: Piece

        /// The day's store, if there is one.
        var store: String?
    }

    private let bundle: WordBundle
    private let privatizer: Privatizer
    private let stated: String
    private let frames: Frames
    private let budget: PrivacyBudget?
    private let random: any RandomSource
    private let lock = NSLock()
    private var state: State

    /// Prepares a mechanism on a bundle. It has no memory, which would link frames.
    ///
    /// - Parameters:
    ///   - bundle: an opened bundle.
    ///   - setting: a setting for ``Privatizer``; without it, the bundle's recommended setting.
    ///   - frames: the shape of a day; without it, the bundle's (`brr calibrate --frames --write`).
    ///   - budget: counts ``loss`` when a day begins, and nothing else. Use it for nothing else, and let it allow
    ///     two days in each of its periods; otherwise its refusals depend on typing.
    ///   - day: a day in progress, from the same bundle, setting and frames. It isn't paid for again.
    ///   - random: source of random bytes for words, sample and ids. Don't set it in production.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: a value is unknown or out of range; the setting
    ///   or the frames are missing, in the bundle, too; or `day` is from another bundle, setting or frames, or
    ///   invalid: begin without it. Of kind ``BrrError/Kind/bundle``: this version can't run the bundle's
    ///   recommended setting.
    public init(
        _ bundle: WordBundle, setting: Setting? = nil, frames: Frames? = nil,
        budget: PrivacyBudget? = nil, continuing day: DayFrames? = nil,
        random: any RandomSource = SystemRandom()
    ) throws(BrrError) {
        privatizer = try Privatizer(bundle, setting: setting, random: random)
        stated = (setting.map { .object($0.stated) } ?? "recommended" as JSON).written
        self.frames = try resolveFrames(bundle, frames)
        (self.bundle, self.budget, self.random) = (bundle, budget, random)
        state = State(day: day, piece: Piece(privatizer))
        guard day == nil || isMine(day!) else {
            throw .parameter(
                "the day is of another bundle, setting or frames, or damaged; begin without it")
        }
    }

    /// The privacy loss of all words of a day's frames: the cost of a day.
    public var loss: Double { Double(frames.wordsADay) * privatizer.certifiedEpsilon }

    /// The day's frames, to store: see ``init(_:setting:frames:budget:continuing:random:)``. Nil if no day has
    /// begun.
    public var day: DayFrames? { lock.withLock { state.day } }

    /// Pays for a day and fills its frames, unless a day has begun. Other methods do so, too.
    ///
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/budget(left:renewsIn:)`` or ``BrrError/Kind/budgetFile``: the
    ///   budget doesn't allow the day, and nothing was drawn.
    public func beginDay() throws(BrrError) { try take([]) }

    /// Ends the text in progress, and releases `text` as a separate text.
    ///
    /// - Parameters:
    ///   - text: the text, as typed. A text without words adds nothing.
    ///   - marks: parts of the text that are one token each, as for ``Privatizer/text(_:marks:rest:)``.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: a mark is empty or outside the text, or names a
    ///   list that the policy lacks. Of kind ``BrrError/Kind/budget(left:renewsIn:)`` or
    ///   ``BrrError/Kind/budgetFile``: the budget doesn't allow the day. The day is then unchanged.
    public func add(_ text: String, marks: [Mark] = []) throws(BrrError) { try all(text, marks) }

    /// Releases `text`, away from the caller's actor; as ``add(_:marks:)``.
    public func add(_ text: String, marks: [Mark] = []) async throws(BrrError) {
        try all(text, marks)
    }

    private func all(_ text: String, _ marks: [Mark]) throws(BrrError) {
        let tokens = try bundle.tokenizer.parts(of: text, marks).flatMap(bundle.tokenizer.read)
        try change { (state) throws(BrrError) in
            try begin(&state)
            try end(&state)
            for token in tokens { try release(token, &state) }
            try end(&state)
        }
    }

    /// Releases the typed `word` as the next word of the text in progress.
    ///
    /// - Throws: as ``add(_:marks:)``.
    public func word(_ word: String) throws(BrrError) { try take([bundle.tokenizer.token(word)]) }

    /// Releases `word`, away from the caller's actor; as ``word(_:)``.
    public func word(_ word: String) async throws(BrrError) {
        try take([bundle.tokenizer.token(word)])
    }

    /// Releases tokens of the bundle as the next ones of the text in progress; as ``add(_:marks:)``.
    package func take(_ tokens: [Token]) throws(BrrError) {
        try change { (state) throws(BrrError) in
            try begin(&state)
            for token in tokens { try release(token, &state) }
        }
    }

    /// Ends the text in progress, if there is one.
    ///
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/randomness``; the text then stays in progress.
    public func end() throws(BrrError) {
        try change { (state) throws(BrrError) in try end(&state) }
    }

    /// Returns the day's frames, each as a batch of JSON, and ends the day.
    ///
    /// There is always the same number of frames, each with the same number of words. Their order reveals nothing
    /// about the order of typing. Send them one at a time, at times that don't depend on typing.
    ///
    /// - Parameter date: a date in the day, in UTC, that the batches name as their period.
    /// - Throws: as ``add(_:marks:)``: no day had begun, and the budget doesn't allow one. Of kind
    ///   ``BrrError/Kind/randomness``: there are no ids. The day stays.
    public func batches(of date: Date) throws(BrrError) -> [Data] {
        try change { (state) throws(BrrError) in
            try begin(&state)
            try end(&state)
            guard let day = state.day else { return [] }
            state.day = nil
            let ids = day.frames.map { $0.map { bundle.vocabulary.find($0) ?? 0 } }
            let order = ids.indices.sorted { ids[$0].lexicographicallyPrecedes(ids[$1]) }
            var batches = [Data]()
            for place in order {
                let id = try random.draw(16)
                batches.append(day.batch(day.frames[place], id: id, start: startOfDay(date)))
            }
            return batches
        }
    }

    /// Whether released words wait for a full frame.
    package var isInText: Bool { lock.withLock { !state.piece.words.isEmpty } }

    /// Continues a stored day, or none. Continues the text in progress if it began in the same store.
    ///
    /// - Returns: whether the day matches this reporter; otherwise no day has begun.
    package func go(on day: DayFrames?, in store: String) -> Bool {
        lock.withLock {
            let isMine = day.map(isMine) ?? true
            state.day = isMine ? day : nil
            if state.store != store { state.piece = Piece(privatizer) }
            state.store = store
            return isMine
        }
    }

    private func isMine(_ day: DayFrames) -> Bool { day.isOf(bundle, stated, frames) }

    /// Changes the whole state, or nothing.
    private func change<Result>(
        _ action: (inout State) throws(BrrError) -> Result
    ) throws(BrrError) -> Result {
        lock.lock()
        defer { lock.unlock() }
        var changed = state
        let result = try action(&changed)
        state = changed
        return result
    }

    /// Pays for a day and fills its frames, unless one has begun.
    private func begin(_ state: inout State) throws(BrrError) {
        guard state.day == nil else { return }
        try budget?.spend(
            privatizer.certifiedEpsilon, words: frames.wordsADay, unit: bundle.digest)
        let fillers = [String](repeating: "", count: frames.words)  // no vocabulary has it
        var filled = [[String]]()
        for _ in 0..<frames.aDay { filled.append(try privatizer.words(fillers)) }
        state.day = DayFrames(
            filled, frames, bundle: bundle.manifestDigest, setting: stated)
    }

    /// Fills the piece in progress.
    private func end(_ state: inout State) throws(BrrError) {
        while !state.piece.words.isEmpty { try release(unknown, &state) }
    }

    /// Releases the next word of the piece in progress; a full one is a frame.
    private func release(_ token: Token, _ state: inout State) throws(BrrError) {
        // None is left out.
        if let word = try state.piece.stream.next(token) { state.piece.words.append(word) }
        guard state.piece.words.count == frames.words else { return }
        try state.day?.take(state.piece.words, random)
        state.piece = Piece(privatizer)
    }
}

private let unknown = Token(text: [], wordID: nil)
