/** The parts that need Node's file system: folders of bundles, and files of states. */

export { openFolder } from "./folder.js";
export { FileStorage } from "./fileStorage.js";
