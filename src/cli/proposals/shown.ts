import { join } from "node:path";
import type { ShownVersions } from "../../client/approve-shown.ts";
import { isJsonObject } from "../../json-object.ts";
import { readOwn, writeOwn } from "../../state/own.ts";
import { remark } from "../terminal/output.ts";

/** The tokens of a preview: its id, and the hash of the versions that it was made from. */
export interface PreviewTokens {
  readonly patch_id: string;
  readonly base_hash: string;
}

/** A proposal as the commands showed it last. */
export interface ShownProposal {
  readonly id: string;
  readonly versions: ShownVersions;
}

/** The most previews that the commands remember, and the most proposals. */
const MOST = 200;

/** Remembers a preview that a person was shown, so that its id alone applies it. */
export function rememberPreview(root: string, { patch_id, base_hash }: PreviewTokens): void {
  const others = shownPreviews(root).filter((one) => one.patch_id !== patch_id);
  remember(root, "previews", [{ patch_id, base_hash }, ...others]);
}

/** Returns the previews that the commands have shown lately, newest first. */
export function shownPreviews(root: string): readonly PreviewTokens[] {
  return remembered<PreviewTokens>(root, "previews");
}

/** Remembers proposals that a person was shown, so that the numbers of their hunks mean what the person saw. */
export function rememberProposals(root: string, shown: readonly ShownProposal[]): void {
  if (shown.length === 0) return;
  const ids = new Set(shown.map(({ id }) => id));
  const others = remembered<ShownProposal>(root, "proposals").filter(({ id }) => !ids.has(id));
  remember(root, "proposals", [...shown, ...others]);
}

/** Returns the versions of a proposal that the commands showed last; undefined if they did not show it lately. */
export function shownVersions(root: string, id: string): ShownVersions | undefined {
  return remembered<ShownProposal>(root, "proposals").find((shown) => shown.id === id)?.versions;
}

/** Stores what a person was shown. The request itself is done by then, so that a full disk does not fail the command. */
function remember(root: string, kind: string, all: readonly object[]): void {
  try {
    writeOwn(fileOf(root, kind), `${JSON.stringify(all.slice(0, MOST), null, 2)}\n`);
  } catch (error) {
    remark(`the ${kind} that you see are not remembered: ${(error as Error).message}`);
  }
}

/** Returns what is stored; nothing from a file that a power cut damaged, and that the next command replaces. */
function remembered<T extends object>(root: string, kind: string): readonly T[] {
  try {
    const all: unknown = JSON.parse(readOwn(fileOf(root, kind)) ?? "[]");
    return Array.isArray(all) ? (all.filter(isJsonObject) as readonly object[] as readonly T[]) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function fileOf(root: string, kind: string): string {
  return join(root, ".spliced", `shown-${kind}.json`);
}
