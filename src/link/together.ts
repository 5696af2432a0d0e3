import { storeFailure } from "../store/store.ts";
import type { Document } from "../workspace/document/document.ts";
import type { AppendOptions } from "../workspace/journal/journal.ts";
import { JournalTransaction } from "../workspace/journal/journal-transaction.ts";
import type { Ports } from "../workspace/ports.ts";
import { NotNow } from "./not-now.ts";

/** Owns the documents whose newest received changes may not be durable yet. The store gets their changes together. */
export class Together {
  readonly #ports: Ports;
  readonly #documents = new Set<Document>();
  #transaction: JournalTransaction | undefined;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  get documents(): Iterable<Document> {
    return this.#documents;
  }

  /** Returns how a document appends a received change: in one group of the store with all others of this turn. */
  appending(): AppendOptions {
    if (!this.#transaction?.open) this.#transaction = new JournalTransaction(this.#ports);
    return { transaction: this.#transaction, waits: true };
  }

  add(document: Document): void {
    this.#documents.add(document);
  }

  /** Resolves once the changes of all documents are durable. @throws NotNow if the store refused one of them */
  async durable(): Promise<void> {
    this.#transaction?.begin();
    const documents = [...this.#documents];
    this.#documents.clear();
    const failures = await Promise.all(documents.map(({ durable }) => storeFailure(durable)));
    const failure = failures.find((one) => one !== undefined);
    if (failure !== undefined) throw new NotNow(failure.message);
  }
}
