import { existsSync, readdirSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { PROJECT } from "./places.ts";

/** Where the engine was when it took samples. Lines and columns are counted from 0. */
interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** A profile as Node's `--cpu-prof` writes it. Times are in microseconds. */
interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Milliseconds by name. */
export type Times = ReadonlyMap<string, number>;

/** The time that functions took by themselves, without the functions that they called. */
export interface SelfTimes {
  readonly functions: Times;
  readonly files: Times;
  readonly packages: Times;
  readonly busyMs: number;
}

/** Adds up the CPU profiles of a folder. The files are those of the sources, by the source maps of the build. */
export function selfTimes(folder: string): SelfTimes {
  const [functions, files, packages] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
  ];
  const sources = new Sources();
  let busyMs = 0;
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".cpuprofile"))) {
    const profile = JSON.parse(readFileSync(join(folder, name), "utf8")) as CpuProfile;
    for (const [frame, ms] of sampled(profile)) {
      if (frame.functionName === "(idle)") continue;
      const { file, line } = sources.of(frame);
      add(functions, `${frame.functionName || "(anonymous)"} ${file}${line}`, ms);
      add(files, file, ms);
      add(packages, packageOf(file), ms);
      busyMs += ms;
    }
  }
  return { functions, files, packages, busyMs };
}

/** Returns the time of each place in a profile. */
function* sampled({ nodes, samples, timeDeltas }: CpuProfile): Iterable<[CallFrame, ms: number]> {
  const times = new Map<number, number>();
  // A sample lasts until the next one; `timeDeltas` has the time before each.
  for (let i = 0; i + 1 < samples.length; i++)
    times.set(samples[i]!, (times.get(samples[i]!) ?? 0) + timeDeltas[i + 1]! / 1000);
  for (const { id, callFrame } of nodes) yield [callFrame, times.get(id) ?? 0];
}

function add(times: Map<string, number>, name: string, ms: number): void {
  times.set(name, (times.get(name) ?? 0) + ms);
}

/** Finds the sources of built code. */
class Sources {
  readonly #maps = new Map<string, SourceMap | undefined>();

  of({ url, lineNumber, columnNumber }: CallFrame): { file: string; line: string } {
    if (url === "") return { file: "(engine)", line: "" };
    if (!url.startsWith("file:")) return { file: url.startsWith("wasm:") ? "(WebAssembly)" : url, line: "" };
    const built = fileURLToPath(url);
    const entry = this.#mapOf(built)?.findEntry(lineNumber, columnNumber);
    // A mapping may name no source, although its type does.
    const isMapped = entry !== undefined && "originalSource" in entry && entry.originalSource !== undefined;
    const file = isMapped ? resolve(dirname(built), entry.originalSource) : built;
    const line = isMapped ? entry.originalLine : lineNumber;
    return { file: relative(PROJECT, file), line: `:${line + 1}` };
  }

  #mapOf(built: string): SourceMap | undefined {
    if (!this.#maps.has(built)) {
      const file = `${built}.map`;
      const map = existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, "utf8"))) : undefined;
      this.#maps.set(built, map);
    }
    return this.#maps.get(built);
  }
}

/** Returns the package of a file, or for one of this project its folder. */
function packageOf(file: string): string {
  const inPackage = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file);
  if (inPackage !== null) return inPackage[1]!;
  if (file.startsWith("node:")) return "node";
  return file.startsWith("(") ? file : dirname(file);
}
