import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";

/** The file of the built program that names all others; missing where the sources run. */
const MAIN = new URL("./daemon.js", import.meta.url);

interface Noted {
  readonly stamp: string;
  /** The hash of the file; absent until the first look after the start, which it would delay. */
  readonly sha256?: string | undefined;
}

/** The program's file at the start of this process, or a copy of it that was seen since. */
let noted: Noted | undefined;

/** Notes the program of this process, which `programState` compares with the files as they are later. */
export function noteProgram(): void {
  const stamp = stampNow();
  noted = stamp === undefined ? undefined : { stamp };
}

/** Returns what became of the program's files since the start: npm removes and replaces them while the process runs. */
export function programState(): "same" | "missing" | "replaced" {
  if (noted === undefined) return "same";
  const stamp = stampNow();
  if (stamp === noted.stamp && noted.sha256 !== undefined) return "same";
  const sha256 = stamp === undefined ? undefined : hashNow();
  if (stamp === undefined || sha256 === undefined) return "missing";
  if (stamp !== noted.stamp && sha256 !== noted.sha256) return "replaced";
  noted = { stamp, sha256 };
  return "same";
}

function stampNow(): string | undefined {
  return unlessGone(() => {
    const { ino, size, ctimeMs } = statSync(MAIN);
    return `${ino} ${size} ${ctimeMs}`;
  });
}

function hashNow(): string | undefined {
  return unlessGone(() => createHash("sha256").update(readFileSync(MAIN)).digest("hex"));
}

/** Returns what a look at the file finds; undefined if the file is gone, or npm is writing it. */
function unlessGone(look: () => string): string | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
