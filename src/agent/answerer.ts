import type { Client } from "../client/client.ts";
import type { Turn } from "./turn.ts";

/** Writes a line of the log: metadata only, never text of documents or messages. */
export type Log = (event: string, details?: Readonly<Record<string, string | number | undefined>>) => void;

/** Answers in threads: a model behind an endpoint, or an agent. */
export interface Answerer {
  /** Most answers at the same time. */
  readonly atOnce: number;
  /**
   * Answers one message. The lines of `log` have the id of that message, as have the daemon's lines of the edits.
   * @throws AnswerFailure; the caller treats any other error as a failure, too
   */
  answer(turn: Turn, log: Log): Promise<void>;
  /** Finishes answers that died before their end; no answer is under way meanwhile. `client` has the agent's token. */
  recover?(client: Client): Promise<void>;
  /** Ends the answerer's processes and connections. */
  close(): Promise<void>;
}
