import type { Signal } from "@preact/signals";

/** An input for a document's path. */
export function PathField({ typed, hint }: { readonly typed: Signal<string>; readonly hint?: string }) {
  return (
    <label>
      Path in the workspace; missing folders are created
      <input
        type="text"
        placeholder={hint}
        spellcheck={false}
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
        }}
      />
    </label>
  );
}
