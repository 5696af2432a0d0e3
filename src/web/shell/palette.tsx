import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { documentsByPath } from "../state/documents.ts";
import { documentRoute, go, type Route } from "../state/route.ts";
import { findPaths } from "../state/tree.ts";

/** The typed text; undefined while the palette is closed. */
const typed = signal<string | undefined>(undefined);
const chosen = signal(0);

const MOST_PATHS = 50;

interface PaletteEntry {
  readonly name: string;
  readonly hint: string;
  readonly to: Route;
}

const VIEWS: readonly PaletteEntry[] = [
  { name: "Overview", hint: "view", to: { view: "overview" } },
  { name: "Proposals", hint: "view", to: { view: "proposals", id: undefined } },
  { name: "Activity", hint: "view", to: { view: "activity" } },
  { name: "Notices", hint: "view", to: { view: "notices" } },
  { name: "Health", hint: "view", to: { view: "health" } },
];

let dialog: HTMLDialogElement | null = null;

/** Opens the palette at once, so that the next key goes into it. */
export function openPalette(): void {
  typed.value = "";
  chosen.value = 0;
  if (dialog?.open === false) dialog.showModal();
}

/** Opens any view or document by a part of its name. */
export function Palette() {
  const open = typed.value !== undefined;
  useEffect(() => {
    if (!open) dialog?.close();
  }, [open]);
  const entries = open ? entriesFor(typed.value!) : [];
  const choose = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    typed.value = undefined;
    go(entry.to);
  };
  return (
    <dialog
      class="palette"
      ref={(element) => {
        dialog = element;
      }}
      aria-label="Go to"
      onClose={() => {
        typed.value = undefined;
      }}
      closedby="any"
    >
      <input
        type="text"
        placeholder="Go to a document or view …"
        aria-label="Go to a document or view"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-entries"
        aria-activedescendant={`palette-${chosen.value}`}
        value={typed.value ?? ""}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") chosen.value = Math.min(entries.length - 1, chosen.value + 1);
          else if (event.key === "ArrowUp") chosen.value = Math.max(0, chosen.value - 1);
          else if (event.key === "Enter") choose(entriesFor(typed.value ?? "")[chosen.value]);
          else return;
          event.preventDefault();
        }}
      />
      <div class="palette-entries" id="palette-entries" role="listbox" aria-label="Results">
        {entries.map((entry, i) => (
          <button
            type="button"
            key={`${entry.hint} ${entry.name}`}
            id={`palette-${i}`}
            role="option"
            aria-selected={i === chosen.value}
            class="palette-entry"
            onClick={() => choose(entry)}
          >
            <span>{entry.name}</span>
            <span class="quiet">{entry.hint}</span>
          </button>
        ))}
        {open && entries.length === 0 && <p class="quiet palette-none">No document or view matches.</p>}
      </div>
    </dialog>
  );
}

function entriesFor(wanted: string): PaletteEntry[] {
  const folded = wanted.trim().toLowerCase();
  const views = VIEWS.filter(({ name }) => name.toLowerCase().includes(folded));
  const paths = findPaths(documentsByPath.value?.keys() ?? [], wanted, MOST_PATHS);
  return [...views, ...paths.map((path) => ({ name: path, hint: "", to: documentRoute(path) }))];
}
