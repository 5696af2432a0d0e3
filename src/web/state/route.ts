import { computed, signal } from "@preact/signals";

/** The view that the page shows, as the address after `#` names it. */
export type Route =
  | { readonly view: "overview" }
  | { readonly view: "document"; readonly path: string; readonly tab: DocumentTab }
  | { readonly view: "proposals"; readonly id: string | undefined }
  | { readonly view: "activity" }
  | { readonly view: "notices" }
  | { readonly view: "health" };

export type DocumentTab = "text" | "timeline";

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
      return `#/${to.tab === "timeline" ? "timeline" : "doc"}/${encodePath(to.path)}`;
    case "proposals":
      return to.id === undefined ? "#/proposals" : `#/proposals/${encodeURIComponent(to.id)}`;
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
export function documentRoute(path: string, tab: DocumentTab = "text"): Route {
  return { view: "document", path, tab };
}

/** Returns the route of an address; the overview for an unknown address. */
function parseRoute(hash: string): Route {
  const [view = "", ...rest] = hash.replace(/^#\/?/, "").split("/");
  switch (view) {
    case "doc":
    case "timeline": {
      const path = decode(rest.join("/"));
      if (path === "") return { view: "overview" };
      return documentRoute(path, view === "timeline" ? "timeline" : "text");
    }
    case "proposals":
      return { view, id: rest[0] === undefined ? undefined : decode(rest[0]) };
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
