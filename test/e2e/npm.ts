import { spawn } from "node:child_process";

export interface NpmRan {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `npm …args` in a folder to its end, as if no other npm had started the tests. */
export function npm(cwd: string, args: readonly string[]): Promise<NpmRan> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const child = spawn("npm", [...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString();
  });
  return new Promise((done, failed) => {
    child.once("error", failed);
    child.once("close", (code) => done({ code, out, err }));
  });
}

/** Packs a project; returns the tarball, and the paths of its files. */
export async function pack(
  project: string,
  to: string,
  args: readonly string[] = [],
): Promise<{ readonly tarball: string; readonly paths: readonly string[] }> {
  const ran = await npm(project, ["pack", "--json", "--pack-destination", to, ...args]);
  if (ran.code !== 0) throw new Error(`npm pack ended (${ran.code}): ${ran.err}`);
  const [packed] = JSON.parse(ran.out) as [{ filename: string; files: { path: string }[] }];
  return { tarball: `${to}/${packed.filename}`, paths: packed.files.map(({ path }) => path) };
}
