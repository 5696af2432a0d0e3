import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { isRefused } from "../../src/link/base/outcome.ts";
import { Machines } from "../../src/link/machines.ts";
import { joiningRecord } from "../../src/link/members/founder.ts";
import { parseLine, type ShareLine } from "../../src/link/members/line.ts";
import { readLink, writeLink } from "../../src/link/members/link-file.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { contentOf } from "../../src/workspace/folder/file-changes.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { during } from "../helpers/during.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { MemoryBroker, type MemoryCarrier } from "../helpers/memory-carrier.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { Seeded } from "../helpers/seeded.ts";
import { onFakes } from "../workspace/fakes.ts";
import { accepted } from "../workspace/harness.ts";
import { ADA } from "./machines.ts";
import { everywhere, SITE } from "./shared-workspace.ts";

const BROKER = { broker: "nats://localhost:4222", environment: {} };

/** Folders that are shared through a broker in memory, each with real keys, certificates and rights. */
export class SharedFolders {
  readonly clock = new FakeClock();
  readonly broker = new MemoryBroker(this.clock, new Seeded(1));
  readonly reports: string[] = [];

  /** Shares a folder with these files. */
  async found(name: string, files: Readonly<Record<string, string>> = {}): Promise<SharedFolder> {
    const folder = this.#folder(name, files);
    accepted(await this.during(folder.machines.share(BROKER, everywhere("write"))));
    return folder;
  }

  /** Adds a folder with the founder's files that joins by its invitation; resolves once some time has passed. */
  async join(founder: SharedFolder, name: string): Promise<SharedFolder> {
    return this.joinWith(await this.invite(founder), name, founder.files());
  }

  /** Returns a share line of the founder's. */
  async invite(founder: SharedFolder, rules = everywhere("write")): Promise<ShareLine> {
    const { line: text } = accepted(await this.during(founder.machines.share(undefined, rules)));
    const line = parseLine(text, this.clock.now());
    if (isRefused(line)) throw new Error(line.message);
    return line;
  }

  /** Adds a folder that joins with a share line; resolves once some time has passed. */
  async joinWith(
    line: ShareLine,
    name: string,
    files: Readonly<Record<string, string>> = {},
  ): Promise<SharedFolder> {
    const folder = this.#folder(name, files);
    writeLink(folder.file, joiningRecord(line, {}, name, SITE));
    folder.machines.open();
    await this.run(10_000);
    return folder;
  }

  /** Lets time pass. */
  run(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  /** Waits for a promise while time passes. */
  during<T>(work: Promise<T>): Promise<T> {
    return during(this.clock, work);
  }

  #folder(name: string, files: Readonly<Record<string, string>>): SharedFolder {
    const folder = new SharedFolder(this, name, files);
    onTestFinished(() => this.during(folder.end()));
    return folder;
  }
}

/** One folder of a shared workspace, with its machine. */
export class SharedFolder {
  readonly disk: FakeDisk;
  readonly machines: Machines;
  readonly workspace: ReturnType<typeof onFakes>["workspace"];
  readonly file: string;
  carrier!: MemoryCarrier;
  readonly #state = mkdtempSync(join(tmpdir(), "spliced-shared-"));
  readonly #folders: SharedFolders;

  constructor(folders: SharedFolders, name: string, files: Readonly<Record<string, string>>) {
    const { clock, reports, broker } = folders;
    this.#folders = folders;
    this.disk = new FakeDisk(clock);
    for (const [path, text] of Object.entries(files)) this.disk.save(path, text);
    const report = (event: string, details?: object) =>
      reports.push(`${name}: ${event} ${JSON.stringify(details)}`);
    this.workspace = onFakes(this.disk, new MemoryStore(), report, clock).workspace;
    this.file = join(this.#state, "link.json");
    this.machines = new Machines({
      workspace: this.workspace,
      file: this.file,
      host: name,
      site: () => SITE,
      openCarrier: () => {
        this.carrier = broker.carrier();
        return this.carrier;
      },
    });
  }

  /** The id of its machine. */
  get id(): string {
    return readLink(this.file)!.identity.id;
  }

  async append(path: string, text: string): Promise<void> {
    const editor = new Editor(this.workspace);
    accepted(await this.#folders.during(editor.edit(ADA, { kind: "append", path, plan: planAppend(text) })));
  }

  async create(path: string, text: string): Promise<void> {
    accepted(await this.#folders.during(this.workspace.create(ADA, path, contentOf(text))));
  }

  async rename(from: string, to: string): Promise<void> {
    const document = accepted(await this.#folders.during(this.workspace.open(from)));
    accepted(await this.#folders.during(this.workspace.rename(ADA, document, to as DocPath)));
  }

  /** Returns the texts of all files, by path. */
  files(): Record<string, string> {
    return Object.fromEntries(this.disk.paths().map((path) => [path, this.disk.text(path)!]));
  }

  async end(): Promise<void> {
    await this.machines.close();
    await this.workspace.close();
    rmSync(this.#state, { recursive: true, force: true });
  }
}
