import { sameImage } from "../../mirror/files.ts";
import { type DocPath, fileNameOf } from "../../mirror/path.ts";
import type { Rights } from "../../workspace/access/rights.ts";
import { isTemporaryName } from "../../workspace/cover/habits.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import {
  type LaneFileRecord,
  type LaneRecord,
  laneFileShelf,
  STORED_AT_ONCE,
  shelvedFile,
  shelvedLane,
} from "../records/record.ts";
import { removeRecords } from "../records/remove-records.ts";
import type { Keeps } from "./folder.ts";
import type { LanePorts } from "./lane-ports.ts";

/** A lane whose folder has all files. */
interface MadeLane {
  readonly record: LaneRecord;
  readonly files: readonly LaneFileRecord[];
}

const NOTHING: Keeps = { keeps: () => false, mayKeepIn: () => false };

/** Makes and removes lanes on the disk and in the store. */
export class LaneFolders {
  readonly #workspace: Workspace;
  readonly #ports: LanePorts;

  constructor(workspace: Workspace, ports: LanePorts) {
    this.#workspace = workspace;
    this.#ports = ports;
  }

  /** Returns true if a lane has its folder. @throws the system's error */
  has({ name, folder }: LaneRecord): boolean {
    return this.#ports.disk.isFolderOf(folder, this.#root, name);
  }

  /** Fills the folder of a lane, and stores its records: from the first step on that of the lane, which is not ready. */
  async make(record: LaneRecord, rights: Rights): Promise<MadeLane> {
    const { name, folder } = record;
    const { store, ignored } = this.#workspace.ports;
    const { disk } = this.#ports;
    const root = this.#root;
    await store.shelve(shelvedLane(record));
    await this.#workspace.lookAtAll();
    disk.markLane(folder, { workspace: root, name });
    const files: LaneFileRecord[] = [];
    let stored = 0;
    const { maxFileBytes: maxBytes } = this.#workspace.limits;
    const filling = { root, lane: folder, name, ignored, rights, here: this.#ports.ignored, maxBytes };
    for await (const file of disk.fill(filling))
      if (files.push(file) - stored === STORED_AT_ONCE) {
        await store.shelve(...files.slice(stored).map(shelvedFile));
        stored = files.length;
      }
    await store.shelve(...files.slice(stored).map(shelvedFile));
    const worktree = disk.addWorktree(root, folder);
    const ready = { ...record, ready: true, ...(worktree?.commit && { commit: worktree.commit }) };
    await store.shelve(shelvedLane(ready));
    return { record: ready, files };
  }

  /**
   * Removes a lane with its records, its folder, and its worktree. From the first step on the lane is not ready. The
   * next start then finishes an interrupted removal, and never takes the missing files for deletions. Unless it is forced,
   * files stay whose text the workspace does not have; returns them.
   */
  async remove(record: LaneRecord, isForced: boolean): Promise<readonly string[]> {
    const { store } = this.#workspace.ports;
    const { disk } = this.#ports;
    await store.shelve(shelvedLane({ ...record, ready: false, isForced }));
    let kept: readonly string[] = [];
    if (this.has(record)) {
      disk.removeWorktree(this.#root, record.folder);
      kept = await disk.removeFolder(record.folder, isForced ? NOTHING : this.#unknown(record));
    } else if (!record.ready) disk.removeRemains(record.folder);
    await removeRecords(store, record.name);
    return kept;
  }

  /** Finds the files that the daemon has not taken in as they are, also those that a program writes during the removal. */
  #unknown({ name }: LaneRecord): Keeps {
    const { store, ignored } = this.#workspace.ports;
    const files = [...store.shelf(laneFileShelf)].filter(({ lane }) => lane === name);
    const images = new Map(
      files.map(({ path, status, image }) => [path, status === "live" ? image : undefined]),
    );
    const isBeingWritten = this.#ports.disk.writersLook();
    const isLeftOut = (path: DocPath) => ignored.skips(path, false) || isTemporaryName(fileNameOf(path));
    return {
      mayKeepIn: (folder) => !ignored.skips(folder, true),
      keeps: (path, now, file) => {
        const image = images.get(path);
        const isKnown = image !== undefined && sameImage(image, now);
        return !isLeftOut(path) && (!isKnown || isBeingWritten(file));
      },
    };
  }

  get #root(): string {
    return this.#workspace.ports.files.root;
  }
}
