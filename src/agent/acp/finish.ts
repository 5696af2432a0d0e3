import type { Client } from "../../client/client.ts";
import { RefusedError } from "../../client/errors.ts";
import { filesOf, type ProposalFile } from "../../client/proposal-files.ts";
import type { Result } from "../../protocol/schemas/schemas.ts";
import type { LeftAnswer } from "../../state/left-answers.ts";
import type { Log } from "../answerer.ts";
import { proposalOf } from "../decisions.ts";
import { levelOf } from "../levels.ts";
import { type Answered, PUT_BACK, PutBack, threadOf } from "./put-back.ts";
import { sessionOf, takenIn } from "./saves.ts";

type Change = Result<"history.list">["changes"][number];

interface Connections {
  /** With the agent's token. */
  readonly client: Client;
  /** With the owner's token. */
  readonly keeper: Client;
  readonly log: Log;
}

/**
 * Finishes an answer that a death of this process, or of the daemon, left. The history has the agent's own saves, also
 * those of them that were put back. This puts back the others, and proposes what no proposal of that answer has.
 * Returns false, and does nothing, while another process of the agent's name is giving that answer.
 */
export async function finish(left: LeftAnswer, { client, keeper, log }: Connections): Promise<boolean> {
  const { thread, messageId, name } = left;
  const opened = await threadOf(client, thread);
  if (opened?.thread.lease?.messageId === messageId) return false;
  await takenIn(keeper, name, thread);
  const messages = opened?.messages;
  const notes: string[] = [];
  const answered: Answered = {
    client,
    made: 0,
    answers: { thread, messageId },
    note: (text) => notes.push(text),
  };
  const putBack = new PutBack(keeper, log);
  const allAgain = async (changes: readonly Change[]) => {
    const refused = new Map<Change, string>();
    for (const change of changes)
      await again(putBack, answered, change, keeper).catch((error: Error) => {
        if (!(error instanceof RefusedError)) throw error;
        refused.set(change, error.message);
      });
    return refused;
  };
  // A save of a file that was deleted or renamed after it is put back once that file is there again.
  const refused = await allAgain(await changesSince(left, keeper));
  for (const [{ path }, reason] of await allAgain([...refused.keys()])) {
    log("save.not_settled", { path, reason });
    notes.push(`The agent changed ${path} itself, and this could not be put back: ${reason}.`);
  }
  const asked = messages?.find(({ id }) => id === messageId);
  await putBack.propose(answered, await filesIn(client, asked?.proposals ?? []));
  const hasAnswer = messages?.some(({ answers }) => answers === messageId) ?? false;
  // A message without an answer waits for one still.
  if (hasAnswer && notes.length > 0)
    await client.thread.append({ thread, role: "assistant", text: notes.join("\n\n") });
  return true;
}

async function filesIn(client: Client, proposals: readonly string[]): Promise<ProposalFile[]> {
  const found = await Promise.all(proposals.map((id) => proposalOf(client, id)));
  return found.flatMap((proposal) => (proposal === undefined ? [] : filesOf(proposal)));
}

/** Returns the changes that the agent made by itself in an answer, oldest first. */
async function changesSince({ thread, since }: LeftAnswer, keeper: Client): Promise<Change[]> {
  const found: Change[] = [];
  const agent = keeper.hello.agent.id;
  for (let before: string | undefined; ; ) {
    const page = await keeper.history.list({ agent, limit: 1000, ...(before !== undefined && { before }) });
    for (const change of page.changes) {
      if (change.time < since) return found.reverse();
      const isSave = change.session === sessionOf(thread) && change.undoes === undefined;
      if (isSave && change.agent === agent && change.answers === undefined) found.push(change);
      else if (change.undoes !== undefined && change.message === PUT_BACK) {
        const saved = await savedBefore(keeper, change);
        if (saved !== undefined && saved.agent !== agent) found.push(saved);
      }
    }
    before = page.changes.at(-1)?.changeId;
    if (!page.more || before === undefined) return found.reverse();
  }
}

/** Returns the save of an agent that was put back before a claim credited the agent with it. */
async function savedBefore(keeper: Client, { path, undoes }: Change): Promise<Change | undefined> {
  const { changes } = await keeper.history.list({ path, limit: 1000 });
  return changes.find(({ changeId }) => changeId === undoes);
}

/** Returns true for the deletion that puts back a creation: the agent's own ones have its session. */
function isPutBack({ kind, session }: Change): boolean {
  return kind === "delete" && session === undefined;
}

/** Puts back a change, unless that was done or somebody has decided otherwise, and keeps it for the proposal. */
async function again(putBack: PutBack, answered: Answered, change: Change, keeper: Client): Promise<void> {
  const { kind, path, docId, previous, from, to, undone } = change;
  const isThere = async (one: string) => (await levelOf(keeper, one)) !== undefined;
  const later = async () => {
    const { changes } = await keeper.history.list({ path, limit: 1000 });
    return changes.slice(
      0,
      changes.findIndex(({ changeId }) => changeId === change.changeId),
    );
  };
  switch (kind) {
    case "edit": {
      const isRedone = !undone && (await later()).some(({ undoes }) => undoes === change.changeId);
      if (!isRedone && previous !== null) await putBack.edit(answered, { ...change, previous }, undone);
      return;
    }
    case "create": {
      const isThereStill = await isThere(path);
      const isBack = !isThereStill && (await later()).some(isPutBack);
      if (isThereStill || isBack) await putBack.creation(answered, path, docId, isBack);
      return;
    }
    case "delete":
      await putBack.deletion(answered, path, await isThere(path));
      return;
    case "rename": {
      const isMade = await isThere(to!);
      if (isMade || (await isThere(from!))) await putBack.renaming(answered, from!, to!, !isMade);
    }
  }
}
