import type { Image } from "../../mirror/files.ts";
import type { Decoded } from "../../mirror/format.ts";
import type { LaneFileRecord } from "../records/record.ts";
import type { FileState } from "./file-state.ts";
import { originOf } from "./origin.ts";
import type { TakeIn, Taken } from "./take-in.ts";

/** The changes in the record of a file that the agent deleted. */
export const GONE = { image: undefined, gone: true } as const;

/** Takes in a write of the agent, once the write before it is taken in; also returns what the record has then. */
export async function takeInWrite(
  takeIn: TakeIn,
  state: FileState,
  content: Decoded,
  image: Image,
): Promise<[Taken, Partial<LaneFileRecord>]> {
  const document = await state.reopen();
  const origin = originOf(state, content);
  // The store has the new stamps no sooner than the text, or the next process would take the file for read.
  const seen = { image, gone: undefined, made: undefined };
  const taken = await takeIn.save({ ...state.record, ...seen }, document, { ...origin, content });
  if (taken.is === "made") state.wrote(content, taken, origin.from);
  else if (origin.from !== undefined && document !== undefined) state.remains(content, document, origin.from);
  return [taken, seen];
}

/**
 * Takes in what the agent did, which changes the record by `seen`. After an error it waits as refused, and is tried again:
 * the mirror would write the document's text over the file, which alone has the agent's.
 */
export async function orRefused(
  state: FileState,
  seen: Partial<LaneFileRecord>,
  takeIn: () => Promise<void>,
): Promise<void> {
  try {
    await takeIn();
  } catch (error) {
    state.report("lane.defect", String(error));
    state.note(seen);
    await state.refuse(`the daemon failed to take it in: ${String(error)}`);
  }
}
