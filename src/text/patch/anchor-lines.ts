import type { DocumentLines } from "./document-lines.ts";

/** Finds the lines of a document that hunk headers name (`@@ def f():`), whatever their indentation. */
export class AnchorLines {
  readonly #document: DocumentLines;
  #places: Map<string, number[]> | undefined;

  constructor(document: DocumentLines) {
    this.#document = document;
  }

  /**
   * Returns the index of the last named line, each searched for after the one before it, or -1. Names that the
   * document lacks are skipped.
   */
  find(names: readonly string[]): number {
    return names.reduce((at, name) => this.#of(name).find((place) => place > at) ?? at, -1);
  }

  #of(name: string): readonly number[] {
    this.#places ??= this.#index();
    return this.#places.get(name) ?? [];
  }

  #index(): Map<string, number[]> {
    const index = new Map<string, number[]>();
    for (const [i, line] of this.#document.bodies(0, this.#document.count).entries()) {
      const name = line.trim();
      const places = index.get(name);
      if (places === undefined) index.set(name, [i]);
      else places.push(i);
    }
    return index;
  }
}
