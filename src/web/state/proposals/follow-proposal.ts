import { RefusedError } from "../../../client/browser.ts";
import { coalesce } from "../base/coalesce.ts";
import { theDaemon } from "../base/session.ts";
import { pathsOf } from "./proposal-files.ts";
import type { ProposalEntry } from "./proposal-types.ts";

/** The state of a proposal that the page shows. */
export type FollowedProposal =
  | { readonly is: "loading" }
  | { readonly is: "known"; readonly proposal: ProposalEntry }
  | { readonly is: "unknown"; readonly why: string };

/** Milliseconds that the page waits for more events of the document before it fetches the proposal. */
const REFRESH_MS = 250;

interface ProposalFollower {
  /** Fetches the proposal now. */
  readonly refresh: () => Promise<void>;
  readonly end: () => void;
}

/**
 * Calls `onUpdate` with a proposal now and after each change of it or its document, always in the order of requests. Its
 * hunks have `context` unchanged lines around their changes.
 */
export function followProposal(
  id: string,
  onUpdate: (followed: FollowedProposal) => void,
  context?: () => number | undefined,
): ProposalFollower {
  const client = theDaemon();
  let newestRequest = 0;
  let shownRequest = 0;
  let paths: readonly string[] = [];
  const refresh = async () => {
    const request = ++newestRequest;
    const followed = await fetchProposal(id, context?.());
    if (request < shownRequest || followed === undefined) return;
    shownRequest = request;
    if (followed.is === "known") paths = pathsOf(followed.proposal);
    onUpdate(followed);
  };
  const refreshSoon = coalesce(REFRESH_MS, refresh);
  const ofPath = (event: { readonly path: string }) => {
    if (paths.includes(event.path)) refreshSoon.soon();
  };
  const ends = [
    client.on("proposal.changed", (event) => {
      // Each of its documents has such an event.
      if (event.id === id && event.path === (paths[0] ?? event.path)) void refresh();
    }),
    client.on("doc.changed", ofPath),
    client.on("doc.renamed", ofPath),
    client.on("doc.deleted", ofPath),
    client.on("doc.created", ofPath),
    client.on("resync", refreshSoon.soon),
    client.on("state", (state) => {
      if (state === "connected") void refresh();
    }),
  ];
  void refresh();
  return {
    refresh,
    end() {
      shownRequest = Number.POSITIVE_INFINITY;
      refreshSoon.end();
      for (const end of ends) end();
    },
  };
}

/** Fetches a proposal. Returns undefined while the page is disconnected; the next connection fetches it again. */
async function fetchProposal(id: string, context: number | undefined): Promise<FollowedProposal | undefined> {
  try {
    return {
      is: "known",
      proposal: await theDaemon().proposal.get({ id, ...(context !== undefined && { context }) }),
    };
  } catch (error) {
    return error instanceof RefusedError ? { is: "unknown", why: error.message } : undefined;
  }
}
