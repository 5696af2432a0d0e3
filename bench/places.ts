import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder. */
export const PROJECT = fileURLToPath(new URL("..", import.meta.url));
/** The built daemon. */
export const BIN = join(PROJECT, "dist", "bin", "spliced.js");
export const RESULTS = join(PROJECT, "bench", "results");
export const PEERS = join(PROJECT, "bench", "peers");
/** The least programs that do what rows promise. */
export const FLOORS = join(PROJECT, "bench", "floors");
