import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { laneDisk } from "../../src/lanes/disk/disk.ts";
import type { LanePorts } from "../../src/lanes/disk/lane-ports.ts";
import { Lanes } from "../../src/lanes/lanes.ts";
import { openSandbox } from "../../src/mirror/disk/sandbox.ts";
import { AgentBounds } from "../../src/workspace/access/rights.ts";
import { LANE_PORTS } from "../helpers/lane-ports.ts";
import { accepted, DiskBench } from "../workspace/harness.ts";

/** Real lanes of a real folder, whose ports a test may replace. */
export class LanesBench {
  readonly bench: DiskBench;
  /** The folder of the lanes. */
  readonly around = mkdtempSync(join(tmpdir(), "spliced-lanes-"));
  readonly ports: { -readonly [K in keyof LanePorts]: LanePorts[K] } = {
    ...LANE_PORTS,
    disk: laneDisk,
    openFiles: (folder) => openSandbox(folder, () => {}),
  };
  lanes: Lanes;

  constructor(files: Record<string, string>) {
    this.bench = new DiskBench(files, { verifyMs: 10 });
    this.lanes = this.#start();
    onTestFinished(async () => {
      await this.lanes.close();
      rmSync(this.around, { recursive: true, force: true });
    });
  }

  #start(): Lanes {
    const lanes = new Lanes(this.bench.workspace, this.bench, new AgentBounds([], []), this.ports);
    lanes.start();
    return lanes;
  }

  /** Makes a lane; returns its folder. */
  async add(name: string): Promise<string> {
    return accepted(await this.lanes.add({ name, folder: this.at(name) })).record.folder;
  }

  /** The folder of a lane. */
  at(name: string): string {
    return join(this.around, name);
  }

  /** Closes the lanes, and opens them again. */
  async restart(meanwhile: () => void): Promise<void> {
    await this.lanes.close();
    meanwhile();
    this.lanes = this.#start();
  }

  /** The problem of each lane. */
  async problems(): Promise<Record<string, string | undefined>> {
    const listed = await this.lanes.list();
    return Object.fromEntries(listed.map(({ record, problem }) => [record.name, problem]));
  }
}
