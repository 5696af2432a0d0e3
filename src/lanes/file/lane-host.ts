import type { Files } from "../../mirror/files.ts";
import type { Fate } from "../../mirror/mirrored-document.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Turns } from "../../mirror/turns.ts";
import type { Actor } from "../../workspace/access/actor.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import type { PolicyEditor } from "../../workspace/proposals/policy-editor.ts";
import type { Proposals } from "../../workspace/proposals/proposals.ts";
import type { LaneFiles } from "../records/lane-files.ts";
import type { LaneFileRecord, LaneRecord } from "../records/record.ts";

/** The parts that all lanes share. */
export interface LaneParts {
  readonly workspace: Workspace;
  readonly editor: PolicyEditor;
  readonly proposals: Proposals;
  readonly turns: Turns;
}

/** The parts of one lane beside the parts that all lanes share. */
export interface LanePlace {
  readonly files: Files;
  /** Returns the author of writes in the lane; undefined once the token is revoked. */
  readonly actorOf: (record: LaneRecord) => Actor | undefined;
  /** Stores a record of the lane. */
  readonly store: (record: LaneRecord) => Promise<void>;
}

/** The parts of a lane that its files use. */
export interface LaneHost extends LaneParts {
  readonly name: string;
  readonly files: Files;
  readonly known: Pick<
    LaneFiles,
    "all" | "expect" | "get" | "has" | "ofDocument" | "read" | "stored" | "unexpect"
  >;
  /** The author of writes in the lane; undefined once the token is revoked. */
  readonly actor: Actor | undefined;
  /** Returns true where the agent's writes become proposals. */
  proposes(path: string): boolean;
  /** Stores the record of a file, in place of the one at `before`. */
  keep(record: LaneFileRecord, before?: DocPath): Promise<void>;
  /** Removes the record of a file that neither the lane nor the workspace has. */
  forget(path: DocPath): Promise<void>;
  /** Notes that a file of the agent's own left a path, where the workspace may have another one. */
  left(path: DocPath): void;
  /** Notes a file that the lane does not have. */
  appeared(path: DocPath): void;
  /** Finds the reason why a file is missing in the lane, as `LostFiles` does. */
  fateOf(path: DocPath, isHeld: boolean): Promise<Fate>;
}
