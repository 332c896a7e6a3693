/** brrkit: words out of a bundle in place of what was typed, before anything leaves the device. */

export * from "./errors.js";
export { tokenize } from "./tokenizer.js";
export { WordBundle, type BundleFiles, type BundleSource, type Neighbor } from "./wordBundle.js";
export type { Vocabulary } from "./vocabulary.js";
export type { CountsSetting, Estimate, Measured, Setting } from "./setting.js";
export type { MeasuredStrength } from "./measuredStrength.js";
export { Privatizer, type PrivatizerOptions, type Stream } from "./privatizer.js";
export type { Base } from "./masses.js";
export { Counts, type CountsOptions } from "./counts.js";
export { systemRandom, type RandomSource } from "./randomness.js";
export { PrivacyBudget } from "./privacyBudget.js";
export { Memory } from "./memory.js";
export type { StateFile, Storage } from "./storage.js";
export { IndexedDbStorage } from "./indexedDbStorage.js";
export * from "./vault.js";
export * from "./reporter.js";
export * from "./outbox.js";
export * from "./consent.js";
export * from "./uploader.js";
export * from "./transport.js";
