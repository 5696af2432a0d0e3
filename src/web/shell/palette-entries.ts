import { attempt } from "../state/base/messages.ts";
import { recents } from "../state/base/recents.ts";
import { documentRoute, go, type Route, route } from "../state/base/route.ts";
import { signOut } from "../state/base/session.ts";
import { switchTheme, theme } from "../state/base/theme.ts";
import { documentsByPath } from "../state/documents/documents.ts";
import { textSearch } from "../state/documents/search-texts.ts";
import { findPaths } from "../state/documents/tree.ts";
import { dismissAll, notices } from "../state/health/notices.ts";
import { openNewDocument } from "./new-document.tsx";

/** An offer of the palette: a place to go to, or an action. */
export interface PaletteEntry {
  readonly name: string;
  readonly hint: string;
  readonly run: () => void;
}

const MOST_PATHS = 50;

const VIEWS: readonly PaletteEntry[] = [
  place("Overview", "view", { view: "overview" }),
  place("Proposals", "view", { view: "proposals", id: undefined }),
  place("Activity", "view", { view: "activity" }),
  place("Notices", "view", { view: "notices" }),
  place("Health", "view", { view: "health" }),
];

function place(name: string, hint: string, to: Route): PaletteEntry {
  return { name, hint, run: () => go(to) };
}

function action(name: string, run: () => void): PaletteEntry {
  return { name, hint: "action", run };
}

/** Returns the actions that are possible now. */
function actions(): PaletteEntry[] {
  const here = route.value.view === "document" ? route.value : undefined;
  return [
    action("New document …", openNewDocument),
    ...(here === undefined
      ? []
      : [
          here.tab === "text"
            ? action("Show the timeline of this document", () => go(documentRoute(here.path, "timeline")))
            : action("Show the text of this document", () => go(documentRoute(here.path))),
        ]),
    ...(notices.value.length === 0 ? [] : [action("Dismiss all notices", dismissAll)]),
    action(theme.value === "dark" ? "Light colours" : "Dark colours", switchTheme),
    action("Sign out", () => void attempt("Could not sign out", signOut)),
  ];
}

/**
 * Returns the entries that match: recent documents first if nothing is typed, then views, documents and actions, then
 * lines of documents.
 */
export function entriesFor(wanted: string): PaletteEntry[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ name }: PaletteEntry) => words.every((word) => name.toLowerCase().includes(word));
  const known = documentsByPath.value;
  const here = route.value.view === "document" ? route.value.path : undefined;
  const recent = words.length > 0 ? [] : recents.value.filter((path) => path !== here && known?.has(path));
  const paths = findPaths(known?.keys() ?? [], wanted, MOST_PATHS).filter((path) => !recent.includes(path));
  return [
    ...recent.map((path) => place(path, "recent", documentRoute(path))),
    ...VIEWS.filter(matches),
    ...(words.length > 0 ? paths.map((path) => place(path, "document", documentRoute(path))) : []),
    ...actions().filter(matches),
    ...(words.length > 0
      ? foundLines(wanted)
      : paths.map((path) => place(path, "document", documentRoute(path)))),
  ];
}

/** Returns the lines of documents that contain the typed text, as far as the daemon has found them. */
function foundLines(wanted: string): PaletteEntry[] {
  const { query, lines } = textSearch.value;
  if (query !== wanted.trim()) return [];
  return lines.map(({ path, line, text }) =>
    place(text.trim(), `${path}:${line}`, documentRoute(path, "text", { line })),
  );
}
