import { filesOf } from "../../../client/browser.ts";
import { plural } from "../base/plural.ts";
import type { ProposalEntry } from "./proposal-types.ts";

/** Returns the paths that a proposal is about, each once: of its documents, and of files that it would make. */
export function pathsOf(proposal: ProposalEntry): string[] {
  return [...new Set(filesOf(proposal).flatMap(({ path, to }) => (to === undefined ? [path] : [path, to])))];
}

/** True for a proposal that would change the document at a path. */
export function isAbout(proposal: ProposalEntry, path: string): boolean {
  return filesOf(proposal).some((file) => file.path === path);
}

/** Returns the name of a proposal's file, or of the first of several, as `a.md and 2 more files`. */
export function aboutText(proposal: ProposalEntry): string {
  const more = filesOf(proposal).length - 1;
  return more === 0 ? proposal.path : `${proposal.path} and ${more} more ${more === 1 ? "file" : "files"}`;
}

/** Returns the heading of a proposal: its file, or the number of its files. */
export function titleOf(proposal: ProposalEntry): string {
  const { length } = filesOf(proposal);
  return length === 1 ? proposal.path : plural(length, "file");
}
