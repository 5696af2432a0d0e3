import type { Document } from "../../workspace/document/document.ts";
import { isRefusal, type Outcome } from "../../workspace/outcome/refusal.ts";
import type { Method, Params, Result } from "../schemas.ts";
import type { Asker, GuardedService } from "../service.ts";

/** Answers requests whose parameters were checked; a refusal is a value (I13). */
export type Handlers<M extends Method> = {
  readonly [K in M]: (service: GuardedService, peer: Asker, params: Params<K>) => Promise<Outcome<Result<K>>>;
};

/** Goes on with a document that was opened, or with the reason why it was not. */
export async function withDocument<T>(
  opening: Promise<Outcome<Document>>,
  work: (document: Document) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const document = await opening;
  return isRefusal(document) ? document : work(document);
}
