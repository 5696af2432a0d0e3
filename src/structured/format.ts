import type { Data, Json, Key } from "./data.ts";
import type { Eol, IndexEdit } from "./edits.ts";
import type { Attempt } from "./failure.ts";
import type { Slice } from "./slice.ts";

/** One step of an edit: at the key of an existing value, or at a new key of an existing object or list. */
export type PathStep =
  | { readonly kind: "replace"; readonly key: Key; readonly value: Data }
  /** A new field; or a new item, before the item with the index in the key's last part. */
  | { readonly kind: "add"; readonly key: Key; readonly value: Data }
  | { readonly kind: "remove"; readonly key: Key };

/** A parsed document: its data, and the edits of its text for a step. */
export interface Structured {
  readonly data: Data;
  /** Returns false for a value that can only be removed and added again. */
  readonly replaceable: (key: Key) => boolean;
  /** Returns the edits of one step. The caller must parse the result and compare it with the wanted data. */
  readonly step: (step: PathStep) => Attempt<readonly IndexEdit[]>;
}

export interface Format {
  readonly name: "TOML" | "JSON" | "YAML";
  /**
   * Parses a text. New lines of later edits end in `eol` and are indented as in `whole`, the text of which this one is a
   * part. @throws RangeError for a text that is nested too deeply
   */
  readonly read: (text: string, eol: Eol, whole?: string) => Attempt<Structured>;
  /** Finds a part of a large text that can be read alone to set a field; undefined where the whole has to be read. */
  readonly slice: (text: string, key: Key, value: Json) => Slice | undefined;
  /** Returns a wire value in this format's types; `old` is the value that it replaces. */
  readonly adopt: (value: Json, old: Data | undefined, key: Key) => Attempt<Data>;
}
