import { storeFailure } from "../store/store.ts";
import type { Document } from "../workspace/document/document.ts";
import { NotNow } from "./not-now.ts";

/**
 * Owns the documents whose newest received changes may not be durable yet. The store may refuse those of one document and
 * keep those of the others.
 */
export class Together {
  readonly #documents = new Set<Document>();

  get documents(): Iterable<Document> {
    return this.#documents;
  }

  add(document: Document): void {
    this.#documents.add(document);
  }

  /** Resolves once the changes of all documents are durable. @throws NotNow if the store refused one of them */
  async durable(): Promise<void> {
    const documents = [...this.#documents];
    this.#documents.clear();
    const failures = await Promise.all(documents.map(({ durable }) => storeFailure(durable)));
    const failure = failures.find((one) => one !== undefined);
    if (failure !== undefined) throw new NotNow(failure.message);
  }
}
