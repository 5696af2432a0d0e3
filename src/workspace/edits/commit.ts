import type { Decoded } from "../../mirror/format.ts";
import { type ChangeRecord, storeFailure } from "../../store/store.ts";
import type { Text } from "../../text/text.ts";
import type { Actor } from "../access/actor.ts";
import type { Workspace } from "../folder/workspace.ts";
import type { ChangeMeta, Committed } from "../journal/change.ts";
import { JournalTransaction } from "../journal/journal-transaction.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { storeRefusal } from "../outcome/refusals.ts";
import { digest, digestNow } from "../versions/digest.ts";
import type { EditResult, Kept, Made, Ready, TogetherOptions } from "./request.ts";
import { keptOf } from "./result.ts";

/** Applies all edits in one go, and waits until they are stored and, unless asked otherwise, on disk. */
export async function commit(
  workspace: Workspace,
  actor: Actor,
  ready: readonly Ready[],
  options: TogetherOptions,
): Promise<Outcome<readonly EditResult[]>> {
  const made = apply(workspace, actor, ready, options);
  if (isRefusal(made)) return made;
  const { applied, kept } = made;
  const failure = await storeFailure(kept);
  if (failure !== undefined) {
    await Promise.all(ready.map(({ document }) => document.failure && workspace.drop(document)));
    return storeRefusal(failure);
  }
  const mirrored = await Promise.all(applied.map(({ ready: one, change }) => mirroring(one, change)));
  workspace.ports.reached("answered");
  return Promise.all(
    applied.map(async ({ ready: { request, resolved }, kept, before, content }, i) => ({
      ...kept,
      mirrored: mirrored[i]!,
      sha256: request.ack === "durable" ? (digestNow(content) ?? null) : await digest(content),
      before,
      base: resolved.base.text,
    })),
  );
}

/** `kept` resolves once all of it is stored, or rejects and none of it is. */
function apply(
  { ports: { store, reached } }: Workspace,
  actor: Actor,
  ready: readonly Ready[],
  { batch, keep }: TogetherOptions,
): Outcome<{ readonly applied: readonly Applied[]; readonly kept: Promise<unknown> }> {
  const changing = ready.filter(({ resolved }) => resolved.splices.length > 0);
  const group = changing.length > 1 ? new JournalTransaction({ store, reached }) : undefined;
  const changes = new Map<Ready, ChangeRecord>();
  const keepAll = () =>
    keep?.(
      ready.map((one) => madeOf(one, changes.get(one))),
      actor,
    ) ?? {};
  const committed = new Map<Ready, Committed>();
  try {
    for (const one of changing) {
      const { document, request, resolved } = one;
      const { message } = request;
      const meta: ChangeMeta = {
        origin: request.undoes === undefined ? (request.origin ?? "agent") : "undo",
        ...(request.undoes && { undoes: request.undoes.id }),
        ...(message !== undefined && { message }),
        ...(batch !== undefined && { batch: { id: batch, size: changing.length } }),
        ...(group && { together: group }),
        keep: (change) => {
          changes.set(one, change);
          return one === changing.at(-1) ? keepAll() : {};
        },
      };
      const made = document.edit(actor, resolved.splices, meta);
      if (isRefusal(made)) {
        group?.abandon(new Error(made.message));
        return made;
      }
      committed.set(one, made);
    }
  } catch (error) {
    group?.abandon(error);
    throw error;
  }
  const stored = [...committed.values()].map(({ durable }) => durable);
  const shelved = changing.length > 0 ? [] : (keepAll().shelved ?? []);
  if (shelved.length > 0) stored.push(store.shelve(...shelved));
  const applied = ready.map((one) => appliedOf(one, committed.get(one)));
  return { applied, kept: Promise.all(stored) };
}

function madeOf(ready: Ready, change: ChangeRecord | undefined): Made {
  const { document, resolved } = ready;
  return { docId: document.id, change, baseSeq: resolved.base.seq, kept: keptOf(ready, change) };
}

/** One edit as it was applied; `content` is what it left. */
interface Applied {
  readonly ready: Ready;
  readonly change: ChangeRecord | undefined;
  readonly kept: Kept;
  readonly before: Text;
  readonly content: Decoded;
}

function appliedOf(ready: Ready, committed: Committed | undefined): Applied {
  const { content } = ready.document;
  const { change, before = content.text, after = content.text } = committed ?? {};
  return { ready, change, kept: keptOf(ready, change), before, content: { ...content, text: after } };
}

async function mirroring({ document, request }: Ready, change: ChangeRecord | undefined): Promise<boolean> {
  if (change === undefined) return document.pendingWrites === 0;
  return request.ack === "durable" ? document.holds(change.seq) : document.mirror.reached(change.seq);
}
