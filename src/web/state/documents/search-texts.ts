import { type ReadonlySignal, signal } from "@preact/signals";
import type { Result } from "../../../protocol/schemas/schemas.ts";
import { theDaemon } from "../base/session.ts";

type FoundLine = Result<"search">["matches"][number];

/** The lines that contain the searched text. */
export interface TextSearch {
  readonly query: string;
  readonly lines: readonly FoundLine[];
  readonly is: "idle" | "searching" | "done" | "failed";
  /** Why the search failed. */
  readonly why?: string;
}

const IDLE: TextSearch = { query: "", lines: [], is: "idle" };
const MOST_LINES = 30;
/** Shorter texts are in nearly every line. */
const LEAST_LENGTH = 2;
/** Milliseconds without a key after which the search begins. */
const PAUSE_MS = 150;

const newest = signal<TextSearch>(IDLE);
let timer: ReturnType<typeof setTimeout> | undefined;

/** The newest search. */
export const textSearch: ReadonlySignal<TextSearch> = newest;

/** Searches all documents for a text once the person stops typing. A new search ends the one before. */
export function searchTexts(typed: string): void {
  clearTimeout(timer);
  const query = typed.trim();
  if (query.length < LEAST_LENGTH) {
    newest.value = IDLE;
    return;
  }
  const search: TextSearch = { query, lines: [], is: "searching" };
  newest.value = search;
  timer = setTimeout(() => void run(search), PAUSE_MS);
}

async function run(begun: TextSearch): Promise<void> {
  const { query } = begun;
  const isNewest = () => newest.value.query === query;
  const lines: FoundLine[] = [];
  let after: Result<"search">["next"] | undefined;
  try {
    do {
      const limit = MOST_LINES - lines.length;
      const { matches, next } = await theDaemon().search({
        query,
        ignoreCase: true,
        limit,
        ...(after && { after }),
      });
      if (!isNewest()) return;
      lines.push(...matches);
      after = next;
      newest.value = { query, lines: [...lines], is: after === null ? "done" : "searching" };
    } while (after !== null && lines.length < MOST_LINES);
    newest.value = { query, lines, is: "done" };
  } catch (error) {
    if (isNewest()) newest.value = { query, lines, is: "failed", why: (error as Error).message };
  }
}
