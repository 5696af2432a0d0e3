import { join } from "node:path";
import { readOwn, writeOwn } from "../state/own.ts";

/** The tokens of a preview: its id, and the hash of the versions that it was made from. */
export interface PreviewTokens {
  readonly patch_id: string;
  readonly base_hash: string;
}

/** The most previews that the commands remember. */
const MOST = 50;

/** Remembers a preview that a person was shown, so that its id alone applies it. */
export function rememberPreview(root: string, { patch_id, base_hash }: PreviewTokens): void {
  const others = shownPreviews(root).filter((one) => one.patch_id !== patch_id);
  const kept = [{ patch_id, base_hash }, ...others].slice(0, MOST);
  writeOwn(fileIn(root), `${JSON.stringify(kept, null, 2)}\n`);
}

/** Returns the previews that the commands have shown lately, newest first. */
export function shownPreviews(root: string): readonly PreviewTokens[] {
  const text = readOwn(fileIn(root));
  return text === undefined ? [] : (JSON.parse(text) as readonly PreviewTokens[]);
}

function fileIn(root: string): string {
  return join(root, ".spliced", "shown-previews.json");
}
