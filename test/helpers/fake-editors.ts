import type { Editors } from "../../src/mirror/editors/editors.ts";
import type { Loaded } from "../../src/mirror/editors/loaded.ts";

/** Editors whose files are in memory. */
export class FakeEditors implements Editors {
  /** The versions that editors have loaded, by the file's path. */
  readonly loaded = new Map<string, readonly Loaded[]>();

  look(path: string): readonly Loaded[] {
    return this.loaded.get(path) ?? [];
  }

  close(): void {}
}
