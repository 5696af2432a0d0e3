import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";

/** The file of the built program that names all others; missing where the sources run. */
const MAIN = new URL("./daemon.js", import.meta.url);

interface Noted {
  readonly stamp: string;
  readonly sha256: string;
}

/** The program's file at the start of this process, or a copy of it that was seen since. */
let noted: Noted | undefined;

/** Notes the program of this process, which `programState` compares with the files as they are later. */
export function noteProgram(): void {
  noted = look();
}

/** Returns what became of the program's files since the start: npm removes and replaces them while the process runs. */
export function programState(): "same" | "missing" | "replaced" {
  if (noted === undefined) return "same";
  const now = look(noted);
  if (now?.sha256 === noted.sha256) noted = now;
  return now === undefined ? "missing" : now === noted ? "same" : "replaced";
}

/** Reads the file, unless its stamp is that of `known`. */
function look(known?: Noted): Noted | undefined {
  try {
    const { ino, size, ctimeMs } = statSync(MAIN);
    const stamp = `${ino} ${size} ${ctimeMs}`;
    if (stamp === known?.stamp) return known;
    return { stamp, sha256: createHash("sha256").update(readFileSync(MAIN)).digest("hex") };
  } catch {
    return undefined; // it is gone, or npm is writing it
  }
}
