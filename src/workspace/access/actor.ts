import type { AnsweredMessage, Certainty, ChangeRecord } from "../../store/store.ts";
import type { SeenDocuments } from "../seen/seen-documents.ts";
import { FULL_RIGHTS, type Rights, type Role } from "./rights.ts";

/** The evidence that an agent is the author of a save. */
export interface Credit {
  readonly certainty: Certainty;
  readonly message?: string;
  /** The identities of the agents, when several may have saved the file. */
  readonly candidates?: readonly string[];
}

/** The author of a request: a name for people, an identity that outlasts sessions and restarts, and rights. */
export interface Actor {
  readonly name: string;
  readonly agent: string;
  readonly rights: Rights;
  /** The documents that the session of the request has seen; undefined for an author without a session. */
  readonly seen?: SeenDocuments;
  /** The session of the agent, as the agent names it. */
  readonly session?: string;
  /** The role of the actor; undefined for an agent. */
  readonly role?: Role;
  /** The message of a thread that the request answers. */
  readonly answers?: AnsweredMessage;
  /** A short digest of the content of the request, for one with an `opId`. */
  readonly asked?: number;
  /** Set when the actor did not send a request but saved a file. */
  readonly credit?: Credit;
}

/** The author of edits that came from the file. */
export const DISK: Actor = { name: "disk", agent: "disk", rights: FULL_RIGHTS };

/** The author of text that a program wrote into a file after the daemon had replaced the file. */
export const LATE_WRITER: Actor = { name: "disk", agent: "disk/late", rights: FULL_RIGHTS };

/** The author of rescues: changes that restore edits that a stale save removed (I6). */
export const RESCUER: Actor = { name: "spliced", agent: "spliced", rights: FULL_RIGHTS };

/** Returns true for the author of a save: the disk, or an agent that saved a file by itself. */
export function isSaver({ agent, credit }: Actor): boolean {
  return agent === DISK.agent || credit !== undefined;
}

/**
 * Returns true for a save of this machine's file by any author. A rename or a deletion is no save: its author has not
 * seen the text.
 */
export function isSave({
  agent,
  certainty,
  file,
  machine,
}: Pick<ChangeRecord, "agent" | "certainty" | "file" | "machine">): boolean {
  const isSaved = agent === DISK.agent || certainty !== undefined;
  return isSaved && machine === undefined && (file === undefined || file.kind === "create");
}

/** The fields of a change that name its author. */
export type Authorship = Pick<
  ChangeRecord,
  "author" | "agent" | "session" | "certainty" | "candidates" | "message" | "answers"
>;

/** Returns the fields of a change by an actor. */
export function authorshipOf({ name: author, agent, session, answers, credit }: Actor): Authorship {
  return {
    author,
    agent,
    ...(session !== undefined && { session }),
    ...(answers !== undefined && { answers }),
    ...credit,
  };
}

/** Returns the name of the token that an identity belongs to; it is the part before the first slash. */
export function tokenNameOf(agent: string): string {
  return agent.split("/", 1)[0]!;
}

/** Names that no token may have. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([DISK.name, RESCUER.name]);

/** The author of an edit that waits for another's decision, and the message that the edit answers. */
export type WaitingAuthor = Pick<Actor, "name" | "agent" | "answers">;

/** Returns an actor with the rights of `actor` whose changes bear the author's name, identity and message. */
export function actingFor({ answers: _, ...actor }: Actor, { name, agent, answers }: WaitingAuthor): Actor {
  return { ...actor, name, agent, ...(answers !== undefined && { answers }) };
}
