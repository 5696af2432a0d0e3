import { RefusedError } from "../../client/browser.ts";
import { coalesce } from "./coalesce.ts";
import type { ProposalEntry } from "./proposal-types.ts";
import { theDaemon } from "./session.ts";

/** What is known of a proposal that somebody looks at. */
export type FollowedProposal =
  | { readonly is: "asked" }
  | { readonly is: "known"; readonly proposal: ProposalEntry }
  | { readonly is: "unknown"; readonly why: string };

const REFRESH_MS = 250;

export interface ProposalFollower {
  /** Asks for it now. */
  readonly refresh: () => Promise<void>;
  readonly end: () => void;
}

/** Tells of a proposal now and whenever it, or its document, has changed; what is told is in the order of asking. */
export function followProposal(id: string, tell: (followed: FollowedProposal) => void): ProposalFollower {
  const client = theDaemon();
  let asked = 0;
  let told = 0;
  let path: string | undefined;
  const refresh = async () => {
    const turn = ++asked;
    const followed = await fetchProposal(id);
    if (turn < told || followed === undefined) return;
    told = turn;
    if (followed.is === "known") path = followed.proposal.path;
    tell(followed);
  };
  const moved = coalesce(REFRESH_MS, refresh);
  const ofPath = (event: { readonly path: string }) => {
    if (event.path === path) moved.soon();
  };
  const ends = [
    client.on("proposal.changed", (event) => {
      if (event.id === id) void refresh();
    }),
    client.on("doc.changed", ofPath),
    client.on("doc.renamed", ofPath),
    client.on("doc.deleted", ofPath),
    client.on("doc.created", ofPath),
    client.on("resync", moved.soon),
    client.on("state", (state) => {
      if (state === "connected") void refresh();
    }),
  ];
  void refresh();
  return {
    refresh,
    end() {
      told = Number.POSITIVE_INFINITY;
      moved.end();
      for (const end of ends) end();
    },
  };
}

/** Undefined while the daemon is away; it is asked again when it is back. */
async function fetchProposal(id: string): Promise<FollowedProposal | undefined> {
  try {
    return { is: "known", proposal: await theDaemon().proposal.get({ id }) };
  } catch (error) {
    return error instanceof RefusedError ? { is: "unknown", why: error.message } : undefined;
  }
}
