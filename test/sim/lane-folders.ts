import { createHash } from "node:crypto";
import type { LaneDisk } from "../../src/lanes/disk/disk.ts";
import type { LanePorts } from "../../src/lanes/disk/lane-ports.ts";
import type { LaneFileRecord } from "../../src/lanes/records/record.ts";
import type { Files } from "../../src/mirror/files.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import { Refusal } from "../../src/workspace/outcome/refusal.ts";
import type { FakeClock } from "../helpers/fake-clock.ts";
import { FakeDisk, imageOfInode } from "../helpers/fake-disk.ts";
import { LANE_PORTS } from "../helpers/lane-ports.ts";
import type { Seeded } from "../helpers/seeded.ts";

type DiskOptions = NonNullable<ConstructorParameters<typeof FakeDisk>[1]>;

const OWNER = { id: "owner", name: "owner", rights: FULL_RIGHTS };

/** The parts of one process that uses the folders. */
interface Used {
  /** The disk of the workspace. */
  readonly main: FakeDisk;
  readonly openFiles: (disk: FakeDisk) => Files;
  /** Resolves when the process may go on. @throws an error once the process is dead */
  readonly gate: () => Promise<void>;
}

/** The folders of the lanes of a simulated machine, a disk each. They outlive the daemon. */
export class LaneFolders {
  /** The number of the system's present run. */
  #boot = 0;
  readonly #clock: FakeClock;
  readonly #options: DiskOptions;
  readonly #changed: (absolute: string) => void;
  readonly #disks = new Map<string, FakeDisk>();
  /** The lanes that the folders are marked for. */
  readonly #marks = new Map<string, string>();

  constructor(clock: FakeClock, options: DiskOptions, changed: (absolute: string) => void) {
    this.#clock = clock;
    this.#options = options;
    this.#changed = changed;
  }

  /** The disk of a folder, which is made if it is not there. */
  disk(folder: string): FakeDisk {
    const known = this.#disks.get(folder);
    if (known !== undefined) return known;
    const disk = new FakeDisk(this.#clock, { ...this.#options, root: folder });
    disk.onChange = (path) => this.#changed(`${folder}/${path}`);
    this.#disks.set(folder, disk);
    return disk;
  }

  /** The disks of all folders but these. */
  allBut(folders: ReadonlySet<string>): readonly FakeDisk[] {
    return [...this.#disks].flatMap(([folder, disk]) => (folders.has(folder) ? [] : disk));
  }

  /** Returns an empty folder for the lane of this name, where it was before if that is possible. */
  emptyOf(name: string): string {
    for (let n = 1; ; n++) {
      const folder = n === 1 ? `/lanes/${name}` : `/lanes/${name} ${n}`;
      if (this.disk(folder).paths().length === 0) return folder;
    }
  }

  /** The system's present run. */
  get boot(): string {
    return `boot ${this.#boot}`;
  }

  /** Writes some of the unsynced files to the disks. */
  writeBack(random: Seeded): void {
    for (const disk of this.#disks.values()) disk.writeBack(random);
  }

  /** Cuts the power of all folders: the system's next run begins. */
  powerCut(random: Seeded): void {
    this.#boot++;
    for (const disk of this.#disks.values()) disk.powerCut(random);
  }

  /** Marks a folder as a lane's. */
  mark(folder: string, name: string): void {
    this.#marks.set(folder, name);
  }

  /** Returns the interfaces of one process. */
  portsOf(used: Used): LanePorts {
    return {
      ...LANE_PORTS,
      disk: { ...LANE_PORTS.disk, ...this.#diskOf(used) },
      openFiles: (folder) => used.openFiles(this.disk(folder)),
      tokenNamed: () => OWNER,
      tokenOf: () => OWNER,
    };
  }

  #diskOf({ main, gate }: Used): Partial<LaneDisk> {
    const { disk, marks } = { disk: (folder: string) => this.disk(folder), marks: this.#marks };
    return {
      makeFolder: (_root, folder) =>
        disk(folder).paths().length === 0 ? folder : new Refusal("ALREADY_EXISTS", `${folder} has files`),
      isFolderOf: (folder, _root, name) => marks.get(folder) === name,
      markLane: (folder, { name }) => this.mark(folder, name),
      bootId: () => this.boot,
      async removeFolder(folder, { keeps }) {
        const from = disk(folder);
        for (const path of from.paths()) {
          await gate();
          const inode = from.inode(path);
          if (inode === undefined || keeps(path as DocPath, imageOfInode(inode), `${folder}/${path}`))
            continue;
          from.unname(path);
        }
        await gate();
        marks.delete(folder);
        return from.paths();
      },
      async *fill({ lane, name, ignored }): AsyncGenerator<LaneFileRecord> {
        for (const path of main.paths() as DocPath[]) {
          await gate();
          const bytes = main.inode(path)?.bytes;
          if (bytes === undefined || ignored.skips(path, false)) continue;
          const to = disk(lane);
          to.unsynced(path, () => to.save(path, bytes));
          const sha256 = createHash("sha256").update(bytes).digest("hex");
          yield { lane: name, path, status: "live", sha256, image: imageOfInode(to.inode(path)!) };
        }
      },
    };
  }
}
