/// Returns the setting for text in force, and its sampler.
///
/// - Parameter given: the given setting; nil for the whole setting that the bundle recommends.
/// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: a value of the given setting is unknown or out of
///   range, its certificate belongs to another setting or bundle; or none is given, and the bundle recommends none. Of
///   kind ``BrrError/Kind/bundle``: the recommended setting isn't one that this version can run.
func resolve(
    _ bundle: WordBundle, _ given: Setting?, _ randomizer: any Randomizer
) throws(BrrError) -> (Setting, any Sampler) {
    try bundle.checkCodes()
    if let given { return (given, try checked(bundle, given, randomizer)) }
    guard let recommended = bundle.recommended else {
        throw .parameter(
            "the bundle recommends no setting; give one, or write one into the bundle with "
                + "'brr calibrate --write'")
    }
    do {
        return (recommended, try checked(bundle, recommended, randomizer))
    } catch {
        throw .bundle(
            "\(bundle.manifestPath): field 'recommended': \(error.message); write it again with "
                + "'brr calibrate --write'")
    }
}

/// Returns the setting for counts in force.
///
/// - Parameter given: the given setting; nil for the one that the bundle recommends.
/// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: a value is out of range; or none is given, and the
///   bundle recommends none.
func resolveCounts(_ bundle: WordBundle, _ given: CountsSetting?) throws(BrrError) -> CountsSetting
{
    guard let setting = given ?? bundle.counts else {
        throw .parameter(
            "the bundle recommends no setting for counts; give one, or write one into the bundle with "
                + "'brr calibrate --for counts --write'")
    }
    _ = try checkCap(setting.cap)
    guard wordsOfADay.contains(setting.wordsADay) else {
        throw .parameter("wordsADay must be an integer from 1 to 1,000")
    }
    return setting
}

/// Returns a setting's sampler; refuses a certificate that belongs to another setting or bundle.
private func checked(
    _ bundle: WordBundle, _ setting: Setting, _ randomizer: any Randomizer
) throws(BrrError) -> any Sampler {
    let (mechanism, epsilon) = (setting.mechanism, setting.epsilon)
    let sampler = try mechanism.sampler(bundle, epsilon, randomizer)
    guard let certificate = setting.certificate else { return sampler }
    guard let base = mechanism.base(bundle) else {
        throw .parameter("a certificate is for mechanism 'exponential', not '\(mechanism.name)'")
    }
    guard base != .bigram else { throw .parameter("base 'bigram' has no certificate") }
    guard certificate.index == bundle.digest else {
        throw .parameter("its certificate belongs to another index.safetensors")
    }
    guard certificate.epsilon == epsilon, certificate.mechanism == mechanism else {
        throw .parameter("its certificate belongs to another setting; leave it out")
    }
    guard certificate.certifiedEpsilon >= epsilon / 2, certificate.certifiedEpsilon <= epsilon
    else { throw .parameter("its certified_epsilon isn't from epsilon / 2 to epsilon") }
    return sampler
}
