import type { Signal } from "@preact/signals";

/** Asks for where a document is to be. */
export function PathField({ typed, hint }: { readonly typed: Signal<string>; readonly hint?: string }) {
  return (
    <label>
      Its path in the workspace; folders are made as needed
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
