import * as z from "zod";
import { RECORD_KINDS } from "../../workspace/document/shared-records.ts";
import { count, fitsStore, listOf } from "./schemas.ts";

/** The forms in which machines send the records that they share beside documents. */

const id = z.string().max(1000);
const text = z.string();
const name = z.string().max(256);
const base = z.object({ change: id, sha256: z.string().max(64).optional(), text: text.optional() });
const splices = listOf(z.object({ from: count, to: count, insert: text }));
const answered = z.object({ thread: id, messageId: id });
const given = { docs: listOf(id), places: listOf(text), machine: name.optional() };

const thread = z.object({
  ...given,
  user: name,
  proposal: id.optional(),
  bundle: text.optional(),
  status: z.enum(["open", "resolved"]),
  created: z.number(),
});

const message = z.object({
  ...given,
  thread: id,
  message: z.object({
    id,
    role: z.enum(["user", "assistant"]),
    text,
    author: name,
    agent: name.optional(),
    kind: z.enum(["agent", "person"]).optional(),
    time: text,
    answers: id.optional(),
    incomplete: z.enum(["stopped", "failed", "lost"]).optional(),
    plan: listOf(z.object({ text, status: z.enum(["pending", "in_progress", "completed"]) })).optional(),
    tools: listOf(
      z.object({
        id: text,
        title: text,
        status: z.enum(["pending", "in_progress", "completed", "failed"]),
        paths: listOf(text).optional(),
      }),
    ).optional(),
    changes: listOf(id).optional(),
    proposals: listOf(id).optional(),
  }),
  anchor: z.object({ docId: id, base, from: count, to: count, quote: text }).optional(),
});

const checkpoint = z.object({
  ...given,
  name: z.string().min(1).max(1000),
  time: z.number(),
  author: name,
  files: count.optional(),
  documents: listOf(z.object({ docId: id, path: text, base })),
});

const review = {
  status: z.enum(["pending", "approved", "rejected", "superseded", "expired"]),
  userId: name.nullable(),
  reviewer: name.nullable(),
  reviewedAt: text.nullable(),
  reason: text.nullable(),
  withdrawn: z.boolean().optional(),
};

const proposal = z
  .object({
    ...given,
    ...review,
    agentId: name,
    author: name,
    createdAt: text,
    field: text.nullable(),
    reasoning: text,
    confidence: z.enum(["low", "medium", "high"]),
    sourceQuery: text.nullable(),
    answers: answered.optional(),
    parts: listOf(
      z.object({
        docId: z.string().max(64),
        path: text,
        to: text.optional(),
        operation: z.enum(["append", "replace", "full_replace", "patch", "create", "delete", "rename"]),
        currentValue: text,
        proposedValue: text,
        diff: text,
        base,
        splices,
      }),
      1,
    ),
    approvals: listOf(
      z.object({
        changes: listOf(z.object({ docId: id, change: id }), 1),
        batch: id.optional(),
        userId: name,
        reviewer: name,
        reviewedAt: text,
        left: listOf(z.object({ part: count, base, splices })),
      }),
    ),
  })
  .refine(({ parts, approvals }) =>
    approvals.every(({ left }) => left.every(({ part }) => part < parts.length)),
  )
  .refine(
    ({ docs, places, parts }) =>
      parts.every(({ docId, path, to }) => {
        const place = to ?? (docId === "" ? path : undefined);
        return (docId === "" || docs.includes(docId)) && (place === undefined || places.includes(place));
      }),
    "the record leaves out a document of the proposal",
  );

const stamp = z.object({ lamport: count, machine: z.string().max(64) });
const common = { is: z.literal("record"), id: id.refine(fitsStore, "the id is too long"), stamp };
const forms = { thread, message, checkpoint, proposal };

/** A record that machines share, or its removal. */
export const recordItem = z
  .object({ ...common, kind: z.enum(RECORD_KINDS), given: z.unknown() })
  .transform((item, context) => {
    if (item.given === null) return { ...item, given: null };
    const parsed = forms[item.kind].safeParse(item.given);
    const named = parsed.data && idIn(parsed.data);
    if (parsed.success && (named === undefined || named === item.id)) return { ...item, given: parsed.data };
    const reason = parsed.error ? z.prettifyError(parsed.error) : "the record is one of another message";
    context.addIssue({ code: "custom", message: reason });
    return z.NEVER;
  });

/** Returns the id that the record of a message has; undefined for any other record, which does not name its id. */
function idIn(given: object): string | undefined {
  const said = given as Partial<z.infer<typeof message>>;
  return said.message && `${said.thread}/${said.message.id}`;
}
