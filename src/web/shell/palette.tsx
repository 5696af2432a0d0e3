import { signal } from "@preact/signals";
import { searchTexts, textSearch } from "../state/documents/search-texts.ts";
import { entriesFor, type PaletteEntry } from "./palette-entries.ts";

/** The typed text; undefined while the palette is closed. */
const typed = signal<string | undefined>(undefined);
const chosen = signal(0);

let dialog: HTMLDialogElement | null = null;

/** Opens the palette at once, so that the next key goes into it. */
export function openPalette(): void {
  typed.value = "";
  chosen.value = 0;
  searchTexts("");
  if (dialog?.open === false) dialog.showModal();
}

/** Opens any view or document, or runs an action, by a part of its name. */
export function Palette() {
  const open = typed.value !== undefined;
  const entries = open ? entriesFor(typed.value!) : [];
  const choose = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    dialog?.close();
    typed.value = undefined;
    entry.run();
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
        placeholder="Find a document, view, action or text …"
        aria-label="Find a document, view, action or text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-entries"
        aria-activedescendant={entries.length === 0 ? undefined : `palette-${chosen.value}`}
        value={typed.value ?? ""}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          chosen.value = 0;
          searchTexts(typed.value);
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
            <span class="palette-name">{entry.name}</span>
            <span class="quiet">{entry.hint}</span>
          </button>
        ))}
      </div>
      {open && <PaletteNote isEmpty={entries.length === 0} />}
    </dialog>
  );
}

/** Says whether the search in the texts goes on or has failed, and whether anything was found. */
function PaletteNote({ isEmpty }: { readonly isEmpty: boolean }) {
  const { is, why } = textSearch.value;
  const text =
    is === "searching"
      ? "Searching the texts …"
      : is === "failed"
        ? `Could not search the texts: ${why}`
        : isEmpty
          ? "No document, view, action or text matches."
          : "";
  return (
    <p class={`palette-none ${is === "failed" ? "warn" : "quiet"}`} role="status">
      {text}
    </p>
  );
}
