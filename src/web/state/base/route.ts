import { computed, signal } from "@preact/signals";

/** The view that the page shows, as the address after `#` names it. */
export type Route =
  | { readonly view: "overview" }
  | DocumentRoute
  | { readonly view: "proposals"; readonly id: string | undefined }
  | { readonly view: "thread"; readonly id: string }
  | { readonly view: "activity" }
  | { readonly view: "notices" }
  | { readonly view: "health" };

export type DocumentTab = "text" | "markdown" | "timeline";

/** The first part of the address of each tab. */
const ADDRESSES = { text: "doc", markdown: "markdown", timeline: "timeline" } as const satisfies Readonly<
  Record<DocumentTab, string>
>;

interface DocumentRoute extends DocumentPlace {
  readonly view: "document";
  readonly path: string;
  readonly tab: DocumentTab;
}

/** The parts that the text view of a document shows beside the text, and the place where the text begins. */
interface DocumentPlace {
  /** The open thread, or `ALL_THREADS`; undefined while the drawer is closed. */
  readonly thread?: string | undefined;
  /** The line to go to, 1-based. */
  readonly line?: number | undefined;
}

/** The drawer with the list of the document's threads. */
export const ALL_THREADS = "all";

const hash = signal(location.hash);
addEventListener("hashchange", readHash);

function readHash(): void {
  hash.value = location.hash;
}

export const route = computed(() => parseRoute(hash.value));

/** Returns the address of a route, for links. */
export function hrefOf(to: Route): string {
  switch (to.view) {
    case "overview":
      return "#/";
    case "document":
      return `#/${ADDRESSES[to.tab]}/${encodePath(to.path)}${queryOf(to)}`;
    case "proposals":
      return to.id === undefined ? "#/proposals" : `#/proposals/${encodeURIComponent(to.id)}`;
    case "thread":
      return `#/threads/${encodeURIComponent(to.id)}`;
    default:
      return `#/${to.view}`;
  }
}

/** Shows a route at once. The browser's own event comes later, perhaps after the next key. */
export function go(to: Route): void {
  location.hash = hrefOf(to);
  readHash();
}

/** Shows a route and replaces the current one in the browser's history. */
export function replaceRoute(to: Route): void {
  location.replace(hrefOf(to));
  readHash();
}

/** Returns the route of a document's view. */
export function documentRoute(path: string, tab: DocumentTab = "text", place: DocumentPlace = {}): Route {
  return { view: "document", path, tab, ...place };
}

function queryOf({ thread, line }: DocumentPlace): string {
  const query = new URLSearchParams();
  if (thread !== undefined) query.set("thread", thread);
  if (line !== undefined) query.set("line", String(line));
  return query.size === 0 ? "" : `?${query}`;
}

function placeOf(query: string): DocumentPlace {
  const given = new URLSearchParams(query);
  const thread = given.get("thread") ?? undefined;
  const line = Number.parseInt(given.get("line") ?? "", 10);
  return { thread, line: line > 0 ? line : undefined };
}

/** Returns the route of an address; the overview for an unknown address. */
function parseRoute(hash: string): Route {
  const [address = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [view = "", ...rest] = address.split("/");
  switch (view) {
    case "doc":
    case "markdown":
    case "timeline": {
      const path = decode(rest.join("/"));
      if (path === "") return { view: "overview" };
      return documentRoute(path, view === "doc" ? "text" : view, placeOf(query));
    }
    case "proposals":
      return { view, id: rest[0] === undefined ? undefined : decode(rest[0]) };
    case "threads":
      return rest[0] === undefined ? { view: "overview" } : { view: "thread", id: decode(rest[0]) };
    case "activity":
    case "notices":
    case "health":
      return { view };
    default:
      return { view: "overview" };
  }
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // an address typed by hand may have a lone %
  }
}
