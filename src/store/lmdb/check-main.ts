import { readThrough } from "./read-through.ts";
import { DAMAGED } from "./set-aside.ts";

/** Runs as a process of its own: reads the database in a folder, and writes the reason when it is damaged. */
try {
  readThrough(process.argv[2]!);
} catch (error) {
  process.stdout.write(error instanceof Error ? error.message : String(error));
  process.exitCode = DAMAGED;
}
