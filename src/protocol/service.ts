import type { Unit } from "../text/positions.ts";
import { READER_FRAME_BYTES } from "../work/bounds.ts";
import type { Actor } from "../workspace/access/actor.ts";
import type { Quota } from "../workspace/access/quota.ts";
import type { Rights } from "../workspace/access/rights.ts";
import { Batches } from "../workspace/batches/batches.ts";
import { Editor } from "../workspace/edits/editor.ts";
import type { GuardedWorkspace } from "../workspace/folder/guarded-workspace.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import { Checkpoints } from "../workspace/history/checkpoints.ts";
import { History } from "../workspace/history/history.ts";
import { Undo } from "../workspace/history/undo.ts";
import type { Refusal } from "../workspace/outcome/refusal.ts";
import { PolicyEditor } from "../workspace/proposals/policy-editor.ts";
import { Proposals } from "../workspace/proposals/proposals.ts";
import { Threads } from "../workspace/threads/threads.ts";
import { patternQuota } from "./pattern-quota.ts";
import { Presences } from "./presence.ts";
import { Metrics } from "./telemetry/metrics.ts";
import { tellOfRejection } from "./telemetry/rejection.ts";
import { type AnswerPlace, Traffic } from "./traffic.ts";
import { TurnShares } from "./turn-shares.ts";

/** What the protocol serves, shared by all connections. */
export interface Service extends Outside {
  readonly workspace: Workspace;
  readonly editor: Editor;
  readonly batches: Batches;
  readonly proposals: Proposals;
  readonly policyEditor: PolicyEditor;
  readonly history: History;
  readonly undoing: Undo;
  readonly checkpoints: Checkpoints;
  readonly threads: Threads;
  readonly presences: Presences;
  readonly metrics: Metrics;
  /** Patterns that connections subscribe to, by token. */
  readonly patterns: Quota;
  readonly turns: TurnShares;
  /** Answers under way, by token. */
  readonly traffic: Traffic;
  /** Tells subscribers of an edit that does not fit its document. */
  readonly rejected: (
    actor: Actor,
    asked: { readonly method: string; readonly path: string | undefined },
    refusal: Refusal,
  ) => void;
}

/** What the daemon around it says. */
export interface Outside {
  readonly serverVersion: string;
  readonly maxMessageBytes: number;
  /** A proposal that nobody has reviewed for so long can no longer be approved. */
  readonly expireDays: number;
  /** Paths that listings and subscriptions by pattern leave out. */
  readonly ignore: (path: string) => boolean;
  /** Whether edit.legacy is served. */
  readonly legacyOps: boolean;
  /** Metadata of what happened, for the log: never document text. */
  readonly log: (
    level: "debug" | "info" | "warn" | "error",
    event: string,
    details: Readonly<Record<string, unknown>>,
  ) => void;
}

export function serve(workspace: Workspace, outside: Outside): Service {
  const editor = new Editor(workspace);
  const batches = new Batches(workspace, editor);
  const proposals = new Proposals(workspace, editor, outside.expireDays);
  const policyEditor = new PolicyEditor(editor, proposals);
  const history = new History(workspace);
  const undoing = new Undo(workspace, editor, history);
  const checkpoints = new Checkpoints(workspace, editor, outside.ignore);
  const threads = new Threads(workspace.ports, workspace.newId);
  const presences = new Presences(workspace);
  const metrics = new Metrics(workspace);
  return {
    ...outside,
    workspace,
    editor,
    batches,
    proposals,
    policyEditor,
    history,
    undoing,
    checkpoints,
    threads,
    presences,
    metrics,
    patterns: patternQuota(),
    turns: new TurnShares(),
    traffic: new Traffic(),
    rejected: (actor, asked, refusal) => tellOfRejection(workspace, actor, asked, refusal),
  };
}

/** What a handler works with: of the workspace only what the peer's token allows. */
export interface GuardedService extends Omit<Service, "workspace"> {
  readonly workspace: GuardedWorkspace;
}

/** Whose token opened a connection: its rights and the beginning of its identity come from there. */
export interface Holder {
  readonly name: string;
  readonly rights: Rights;
}

/** The longest frame of a token, in bytes: long ones are for those who may send whole texts. */
export function frameBytesOf({ rights }: Holder, maxMessageBytes: number): number {
  return rights.allowsSomewhere("append") ? maxMessageBytes : Math.min(READER_FRAME_BYTES, maxMessageBytes);
}

/** Who asks, and the place of the answer. */
export interface Asker extends Requester {
  readonly place: AnswerPlace;
}

/** Who is on the other end once `hello` is through. */
export interface Requester {
  readonly actor: Actor;
  /** Whose token it has. */
  readonly user: string;
  readonly unit: Unit;
  /** Names the connection. */
  readonly session: string;
}
