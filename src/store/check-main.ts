import { readThrough } from "./read-through.ts";
import { DAMAGED } from "./sound.ts";

/** A process of its own: looks through the database in a folder, and says what is wrong with it. */
try {
  readThrough(process.argv[2]!);
} catch (error) {
  process.stdout.write(error instanceof Error ? error.message : String(error));
  process.exitCode = DAMAGED;
}
