import type { LanePorts } from "../../lanes/disk/lane-ports.ts";
import { Lanes } from "../../lanes/lanes.ts";
import type { Machines } from "../../link/machines.ts";
import type { Unit } from "../../text/positions.ts";
import { READER_FRAME_BYTES } from "../../work/bounds.ts";
import type { Actor } from "../../workspace/access/actor.ts";
import type { Quota } from "../../workspace/access/quota.ts";
import type { AgentBounds, Rights, Role } from "../../workspace/access/rights.ts";
import { Batches } from "../../workspace/batches/batches.ts";
import type { Claims } from "../../workspace/claims/claims.ts";
import { Editor } from "../../workspace/edits/editor.ts";
import { FileBatches } from "../../workspace/folder/file-batch.ts";
import type { GuardedWorkspace } from "../../workspace/folder/guarded-workspace.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import { Checkpoints } from "../../workspace/history/checkpoints.ts";
import { History } from "../../workspace/history/history.ts";
import { Undo } from "../../workspace/history/undo.ts";
import type { Refusal } from "../../workspace/outcome/refusal.ts";
import { PolicyEditor } from "../../workspace/proposals/policy-editor.ts";
import { Proposals } from "../../workspace/proposals/proposals.ts";
import { Threads } from "../../workspace/threads/threads.ts";
import type { CaptureStore } from "../telemetry/captures.ts";
import { Metrics } from "../telemetry/metrics.ts";
import { notifyRejection } from "../telemetry/rejection.ts";
import { patternQuota } from "./pattern-quota.ts";
import { Presences } from "./presence.ts";
import { SeenMemory } from "./seen-memory.ts";
import type { Settings } from "./settings.ts";
import { Subscribers } from "./subscribers.ts";
import { type AnswerPlace, Traffic } from "./traffic.ts";
import { TurnShares } from "./turn-shares.ts";

/** The parts of the daemon that all connections share. */
export interface Service extends Omit<ServiceOptions, "lanes"> {
  readonly workspace: Workspace;
  readonly editor: Editor;
  readonly fileBatches: FileBatches;
  readonly batches: Batches;
  readonly proposals: Proposals;
  readonly policyEditor: PolicyEditor;
  readonly history: History;
  readonly undoing: Undo;
  readonly checkpoints: Checkpoints;
  readonly threads: Threads;
  readonly lanes: Lanes;
  readonly claims: Claims;
  readonly presences: Presences;
  readonly subscribers: Subscribers;
  /** The sights of clients that speak for models. */
  readonly seenMemory: SeenMemory;
  readonly metrics: Metrics;
  /** The patterns that connections subscribe to, by token. */
  readonly patterns: Quota;
  readonly turns: TurnShares;
  /** The answers under way, by token. */
  readonly traffic: Traffic;
  /** Notifies a document's subscribers of an edit that did not fit. */
  readonly rejected: (
    actor: Actor,
    request: { readonly method: string; readonly path: string | undefined },
    refusal: Refusal,
  ) => void;
}

/** The sharing of the workspace with other machines, as requests use it. */
export type SharedFolder = Pick<Machines, "status" | "share" | "remove" | "leave">;

/** Settings and functions that the daemon provides. */
export interface ServiceOptions {
  readonly serverVersion: string;
  readonly maxMessageBytes: number;
  /** Days after which a proposal without a review expires. */
  readonly expireDays: number;
  /** The upper bound of the rights of agents, for all tokens. */
  readonly agents: AgentBounds;
  /** The sharing of the workspace with other machines. */
  readonly machines: SharedFolder;
  readonly lanes: LanePorts;
  /** The settings that a person can change while the daemon runs. */
  readonly settings: Settings;
  /** Captures the edits of agents with their text; undefined while that is off. */
  readonly captures?: CaptureStore | undefined;
  /** True when the prompts of agents become the messages of their saves. */
  readonly promptsInHistory: boolean;
  /** Logs metadata of an event, never document text. */
  readonly log: (
    level: "debug" | "info" | "warn" | "error",
    event: string,
    details: Readonly<Record<string, unknown>>,
  ) => void;
}

export function serve(workspace: Workspace, outside: ServiceOptions): Service {
  const editor = new Editor(workspace);
  const fileBatches = new FileBatches(workspace);
  const batches = new Batches(workspace, editor, fileBatches);
  const proposals = new Proposals(workspace, editor, fileBatches, outside.expireDays);
  const policyEditor = new PolicyEditor(editor, proposals);
  const history = new History(workspace);
  const undoing = new Undo(workspace, editor, history, fileBatches);
  const checkpoints = new Checkpoints(workspace, editor);
  const threads = new Threads(workspace);
  const lanes = new Lanes(workspace, { policyEditor, proposals }, outside.agents, outside.lanes);
  const presences = new Presences(workspace);
  const metrics = new Metrics(workspace);
  return {
    ...outside,
    workspace,
    editor,
    fileBatches,
    batches,
    proposals,
    policyEditor,
    history,
    undoing,
    checkpoints,
    threads,
    lanes,
    claims: workspace.claims,
    presences,
    subscribers: new Subscribers(workspace, presences),
    seenMemory: new SeenMemory(workspace.ports),
    metrics,
    patterns: patternQuota(),
    turns: new TurnShares(),
    traffic: new Traffic(),
    rejected: (actor, request, refusal) => notifyRejection(workspace, actor, request, refusal),
  };
}

/** The service of one request, with the part of the workspace that the client's token allows. */
export interface GuardedService extends Omit<Service, "workspace"> {
  readonly workspace: GuardedWorkspace;
}

/** The token of a connection: the source of its rights and of its identity. */
export interface Holder {
  readonly name: string;
  readonly rights: Rights;
}

/** Returns the longest frame of a token, in bytes. Only tokens that may append get the full length. */
export function frameBytesOf({ rights }: Holder, maxMessageBytes: number): number {
  return rights.allowsSomewhere("append") ? maxMessageBytes : Math.min(READER_FRAME_BYTES, maxMessageBytes);
}

/** The sender of a request, and the place of its answer. */
export interface RequestContext extends Requester {
  readonly place: AnswerPlace;
}

/** The client of a connection after `hello`. */
export interface Requester {
  readonly actor: Actor;
  /** Name of the client's token. */
  readonly user: string;
  readonly unit: Unit;
  /** Id of the connection. */
  readonly session: string;
  readonly role: Role;
  /** True for a connection of one request, whose claims outlive it. */
  readonly isBrief: boolean;
}
