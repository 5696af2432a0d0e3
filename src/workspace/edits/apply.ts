import { setImmediate } from "node:timers/promises";
import type { Text } from "../../text/text.ts";
import type { Actor } from "../access/actor.ts";
import { editRightRefusal } from "../access/refusals.ts";
import type { Document } from "../document/document.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { digest, digestNow } from "../versions/digest.ts";
import { commit } from "./commit.ts";
import { prepare } from "./prepare.ts";
import { type PreviewedFile, previewedFile } from "./preview-file.ts";
import type { Previews, StoredPreview } from "./previews.ts";
import type { EditRequest, EditResult, Ready, RefusedEdit, TogetherOptions } from "./request.ts";
import { Resolver } from "./resolve.ts";

/** What edits would do, and the tokens to make them by. */
export interface Preview {
  readonly shown: StoredPreview;
  readonly files: readonly PreviewFile[];
}

export interface PreviewFile extends Pick<PreviewedFile, "path" | "applied" | "warnings"> {
  readonly before: Text;
  readonly after: Text;
}

/** The results in the order of the requests, or every reason why none of them was made. */
export type Together =
  | { readonly made: readonly EditResult[] }
  | { readonly refused: readonly RefusedEdit[] };

/**
 * Makes one edit of each of several documents: all of them or none, in memory, in the store and through a crash
 * (I13). Answered when all are durable and, unless asked otherwise, on disk.
 */
export async function together(
  workspace: Workspace,
  previews: Previews,
  actor: Actor,
  requests: readonly EditRequest[],
  options: TogetherOptions,
): Promise<Together> {
  const guarded = new GuardedWorkspace(workspace, actor, "read");
  const resolver = new Resolver(guarded.workers);
  const opened = await openFor(guarded, requests, resolver);
  // From here to the commit nothing waits, so nothing comes between.
  const prepared = prepare(opened, requests, workspace.limits.maxFileBytes, resolver);
  if ("refused" in prepared) return prepared;
  const { ready } = prepared;
  const unsure = ready.some(({ resolved }) => resolved.plan.confirm !== undefined);
  const confirm = unsure ? requests.find((request) => request.confirm !== undefined)?.confirm : undefined;
  const unconfirmed = unsure ? confirmations(previews, actor, ready, confirm, options) : [];
  if (unconfirmed.length > 0) return { refused: unconfirmed };
  const made = await commit(workspace, actor, ready, options);
  if (isRefusal(made)) return { refused: [{ refusal: made }] };
  if (confirm !== undefined) previews.applied(actor, confirm, made);
  return { made };
}

/** Resolves edits and remembers what they would do, instead of making them. */
export async function preview(
  workspace: Workspace,
  previews: Previews,
  actor: Actor,
  requests: readonly EditRequest[],
  options: TogetherOptions,
): Promise<Preview | { readonly refused: readonly RefusedEdit[] }> {
  const guarded = new GuardedWorkspace(workspace, actor, "read");
  const resolver = new Resolver(guarded.workers);
  const opened = await openFor(guarded, requests, resolver);
  const prepared = prepare(opened, requests, workspace.limits.maxFileBytes, resolver);
  if ("refused" in prepared) return prepared;
  const shown = previews.show(actor, prepared.ready, options);
  if (isRefusal(shown)) return { refused: [{ refusal: shown }] };
  return { shown, files: prepared.ready.map((one) => previewFile(previewedFile(one), one.document.text)) };
}

/** Opens what the requests name and their author may edit, and gets ready what can be while others have their turns (I14). */
async function openFor(
  workspace: GuardedWorkspace,
  requests: readonly EditRequest[],
  resolver: Resolver,
): Promise<Outcome<Document>[]> {
  const [only, ...more] = requests;
  // While all of them are open together others wait for them, so what takes long comes before.
  if (more.length > 0)
    for (const request of requests) if (request.plan.task) await openResolved(workspace, request, resolver);
  const opened =
    only === undefined || more.length > 0
      ? await openAll(workspace, requests, resolver)
      : [await openResolved(workspace, only, resolver)];
  return opened.map((document, i) => {
    if (isRefusal(document)) return document;
    const { path, kind } = requests[i]!;
    return editRightRefusal(document.path, workspace.allowedOn(path, document), kind) ?? document;
  });
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

/** Opens a document once nothing of an edit of it is left to be waited for: its base's hash, a worker's plan. */
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

/** A base named by its hash is found by the hash of the text, however large that is; undefined when it is known. */
function hash({ content }: Document, { sha256 }: EditRequest): Promise<unknown> | undefined {
  return sha256 === undefined || digestNow(content) !== undefined ? undefined : digest(content);
}

/** Some edits need to be looked at before they are made: all are shown instead, unless they were. */
function confirmations(
  previews: Previews,
  actor: Actor,
  ready: readonly Ready[],
  confirm: string | undefined,
  options: TogetherOptions,
): RefusedEdit[] {
  if (confirm !== undefined) {
    const refusal = previews.mismatch(confirm, ready);
    return refusal === undefined ? [] : [{ refusal }];
  }
  const shown = previews.show(actor, ready, options);
  if (isRefusal(shown)) return [{ refusal: shown }];
  const { patchId, baseHash } = shown;
  const suggestion =
    "Check that the place is right, then call preview.apply with patch_id, base_hash and confirm: true; a single edit may also be sent again with confirm set to the patch_id.";
  return ready.flatMap(({ resolved: { plan } }, index) => {
    const { confirm: reason, applied, inexactHunks: hunks, splices } = plan;
    if (reason === undefined) return [];
    const details = { patch_id: patchId, base_hash: baseHash, reason, applied, hunks, splices };
    const refusal = new Refusal("CONFIRMATION_REQUIRED", `not applied yet: ${reason}`, {
      suggestion,
      details,
    });
    return [{ index, refusal }];
  });
}

/** What was shown of a document, of which `before` is the text at that version. */
export function previewFile({ path, splices, applied, warnings }: PreviewedFile, before: Text): PreviewFile {
  return { path, before, after: before.splice(splices), ...(applied && { applied }), warnings };
}
