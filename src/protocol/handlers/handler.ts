import type { Document } from "../../workspace/document/document.ts";
import { isRefusal, type Outcome } from "../../workspace/outcome/refusal.ts";
import type { Method, Params, Result } from "../schemas/schemas.ts";
import type { GuardedService, RequestContext } from "../service/service.ts";

/** The handlers of methods. They get checked parameters and return a refusal as a value (I13). */
export type Handlers<M extends Method> = {
  readonly [K in M]: (
    service: GuardedService,
    requester: RequestContext,
    params: Params<K>,
  ) => Promise<Outcome<Result<K>>>;
};

/** Opens a document and works on it; returns the refusal when it did not open. */
export async function withDocument<T>(
  opening: Promise<Outcome<Document>>,
  work: (document: Document) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const document = await opening;
  return isRefusal(document) ? document : work(document);
}
