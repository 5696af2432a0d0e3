import { setImmediate } from "node:timers/promises";
import { editRightRefusal } from "../access/refusals.ts";
import type { Document } from "../document/document.ts";
import type { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { digest, digestNow } from "../versions/digest.ts";
import type { EditRequest } from "./request.ts";
import { Resolver, type ShownPlans } from "./resolve.ts";

/** Documents opened for edits, in the order of the requests; valid until the next `await`. */
export interface OpenedEdits {
  readonly requests: readonly EditRequest[];
  readonly documents: readonly Outcome<Document>[];
  readonly resolver: Resolver;
}

/** Opens the documents of edits that their author may make, as `openTogether` does. */
export async function openEdits(
  workspace: GuardedWorkspace,
  requests: readonly EditRequest[],
  shown: ShownPlans,
): Promise<OpenedEdits> {
  const { documents, resolver } = await openTogether(workspace, requests, shown);
  const allowed = documents.map((document, i) => {
    if (isRefusal(document)) return document;
    const { path, kind } = requests[i]!;
    return editRightRefusal(document.path, workspace.allowedOn(path, document), kind) ?? document;
  });
  return { requests, documents: allowed, resolver };
}

/**
 * Opens the documents of edits. Long computations (a base's hash, a worker's plan) end before this returns, so that no
 * step until the commit waits (I14).
 */
export async function openTogether(
  workspace: GuardedWorkspace,
  requests: readonly EditRequest[],
  shown?: ShownPlans,
): Promise<OpenedEdits> {
  const resolver = new Resolver(workspace.workers, workspace.seen, shown);
  const [only, ...more] = requests;
  // Other requests wait while these documents are open together, so a worker plans long edits first.
  if (more.length > 0)
    for (const request of requests) if (request.plan.task) await openResolved(workspace, request, resolver);
  const documents =
    only === undefined || more.length > 0
      ? await openAll(workspace, requests, resolver)
      : [await openResolved(workspace, only, resolver)];
  return { requests, documents, resolver };
}

function openAll(
  workspace: GuardedWorkspace,
  requests: readonly EditRequest[],
  resolver: Resolver,
): Promise<Outcome<Document>[]> {
  const paths = requests.map(({ path }) => path);
  return workspace.openAll(paths, async (opened) => {
    for (const [i, document] of opened.entries()) {
      if (isRefusal(document)) continue;
      await hash(document, requests[i]!);
      resolver.resolve(document, requests[i]!);
      await setImmediate();
    }
  });
}

/** Opens a document once its base's hash and the worker's plan are known. */
export async function openResolved(
  workspace: GuardedWorkspace,
  request: EditRequest,
  resolver: Resolver,
): Promise<Outcome<Document>> {
  for (;;) {
    const document = await workspace.open(request.path);
    if (isRefusal(document)) return document;
    const waiting = hash(document, request) ?? resolver.ahead(document, request);
    if (waiting === undefined) return document;
    await waiting;
  }
}

/** Computes the hash of the text for a base that is named by a hash; undefined when the hash is known or not needed. */
function hash({ content }: Document, { sha256 }: EditRequest): Promise<unknown> | undefined {
  return sha256 === undefined || digestNow(content) !== undefined ? undefined : digest(content);
}
