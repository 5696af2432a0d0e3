import type { Data, Json, Key } from "./data.ts";
import type { Eol, IndexEdit } from "./edits.ts";
import type { Attempt } from "./failure.ts";

/** One step of an edit: at a key where something stands, or one to add to an object or list that is there. */
export type PathStep =
  | { readonly kind: "replace"; readonly key: Key; readonly value: Data }
  /** A new field; or an item, ahead of the one that the key's last part counts. */
  | { readonly kind: "add"; readonly key: Key; readonly value: Data }
  | { readonly kind: "remove"; readonly key: Key };

/** A document that was read: what it says, and how a step is made in its text. */
export interface Structured {
  readonly data: Data;
  /** False for what has to be removed and added to become something else. */
  readonly replaceable: (key: Key) => boolean;
  /** The edits of one step. They are checked by whoever asks: what is read afterwards must be what was wanted. */
  readonly step: (step: PathStep) => Attempt<readonly IndexEdit[]>;
}

export interface Format {
  readonly name: "TOML" | "JSON" | "YAML";
  /** New lines are to end in `eol`. @throws RangeError for what is nested too deeply. */
  readonly read: (text: string, eol: Eol) => Attempt<Structured>;
  /** A wire value as this format would hold it where `old` stands. */
  readonly adopt: (value: Json, old: Data | undefined, key: Key) => Attempt<Data>;
}
