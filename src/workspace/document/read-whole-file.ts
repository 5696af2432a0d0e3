import { type FileReading, type Image, isFileProblem, sameImage } from "../../mirror/files.ts";
import { decode } from "../../mirror/format.ts";
import type { Blocked } from "../../mirror/mirrored-document.ts";
import type { DocPath } from "../../mirror/path.ts";
import { SETTLE_MS, STALL_MS } from "../../mirror/settle-time.ts";
import type { FileOnDisk } from "../journal/change.ts";
import type { Outcome } from "../outcome/refusal.ts";
import { fileRefusal } from "../outcome/refusals.ts";
import type { Context } from "./context.ts";

/** The number of tries to read a file that a program is writing. */
const READ_TRIES = 20;
const LINE_FEED = 10;
const NEVER = new AbortController().signal;

/** Reads a text file once it is whole, as far as its stamps and its writers show (I5). */
export async function readWholeFile(context: Context, path: DocPath): Promise<Outcome<FileOnDisk>> {
  const { files, clock } = context.ports;
  const began = clock.elapsed();
  let problem: Blocked = { kind: "changed", message: `${path} is being written to` };
  for (let i = 0; i < READ_TRIES; i++) {
    const reading = await files.read(path, context.limits.maxFileBytes);
    if (isFileProblem(reading) && reading.kind !== "changed") return fileRefusal(reading);
    if (isFileProblem(reading)) {
      problem = reading;
      await clock.sleep(SETTLE_MS, NEVER);
    } else if (await holdsStill(context, path, reading, clock.elapsed() - began))
      return present(path, reading);
  }
  return fileRefusal(problem);
}

/** Resolves with true once a reading counts as whole, after `waited` ms of earlier ones; with false when the file changed. */
async function holdsStill(
  { ports: { files, clock } }: Context,
  path: DocPath,
  { bytes, image }: FileReading,
  waited: number,
): Promise<boolean> {
  if (!isYoung(image, clock.now())) return true;
  const isUnchanged = () => {
    const now = files.look(path);
    return !isFileProblem(now) && sameImage(now, image);
  };
  // The program may have written its first bytes, and closed the file, since the reading.
  if (files.openForWriting(path) === false) return isUnchanged();
  const isLine = bytes.at(-1) === LINE_FEED;
  for (let ms = 0; ; ms += SETTLE_MS) {
    // The mirror waits as long for a file that a program keeps open.
    const isOpen = !isLine && ms + waited < STALL_MS && files.openForWriting(path) === true;
    if (ms > 0 && !isOpen) return true;
    await clock.sleep(SETTLE_MS, NEVER);
    if (!isUnchanged()) return false;
  }
}

function present(path: DocPath, { bytes, image }: FileReading): Outcome<FileOnDisk> {
  const content = decode(bytes);
  return content === undefined
    ? fileRefusal({ kind: "not_text", message: `${path} is not UTF-8 text` })
    : { content, image };
}

function isYoung({ mtimeNs }: Image, now: number): boolean {
  return mtimeNs > BigInt(now - STALL_MS) * 1_000_000n;
}
