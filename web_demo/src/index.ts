/** brrkit: replaces typed words with words of a bundle before anything leaves the device. */

export {
  BrrError, BudgetError, BudgetFileError, BundleError, MemoryFileError, OutboxError, OutOfVocabularyError,
  ParameterError, RandomnessError, type Kind,
} from "./errors.js";
export { WordBundle, type BundleFiles, type BundleSource, type Neighbor } from "./wordBundle.js";
export type { Vocabulary } from "./vocabulary.js";
export type { Certificate, CountsSetting, Estimate, Frames, Measured, Parameters, Setting, Shares } from "./setting.js";
export type { MeasuredStrength } from "./measuredStrength.js";
export {
  Privatizer, type PrivatizerOptions, type RestOptions, type Stream, type TextOptions, type TextsOptions,
} from "./privatizer.js";
export type { Mark } from "./marks.js";
export type { Passing, Policy, SecretList } from "./policy.js";
export type { Base } from "./masses.js";
export { Session } from "./session.js";
export { Counts, type CountsOptions } from "./counts.js";
export { tablesOf } from "./tables.js";
export { systemRandom, type RandomSource } from "./randomness.js";
export { PrivacyBudget } from "./privacyBudget.js";
export { Memory } from "./memory.js";
export type { StateFile, Storage } from "./storage.js";
export { IndexedDbStorage } from "./indexedDbStorage.js";
export { KeyValueStorage, type KeyValueStore } from "./keyValueStorage.js";
export { removeState } from "./removeState.js";
export { CryptoKeyVault, type KeyVault } from "./vault.js";
export type { DaySample } from "./daySample.js";
export { Reporter } from "./reporter.js";
export { TextReporter, type TextReporterOptions } from "./textReporter.js";
export { Outbox, type OutboxLimits, type OutboxStatus, type RefusedBatch } from "./outbox.js";
export { Consent } from "./consent.js";
export { Uploader, type Upload, type UploadPolicy } from "./uploader.js";
export { HttpsTransport, type Reply, type Transport } from "./transport.js";
