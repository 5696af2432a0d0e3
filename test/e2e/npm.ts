import { spawn } from "node:child_process";
import { type Folder, makeFolder } from "./folder.ts";

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

/** The errors of npm without a connection to the registry. */
const OFFLINE = /code (ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT)/;

/** Installs packages in a new folder, or returns the reason why they are not at hand. */
export async function install(packages: readonly string[]): Promise<Folder | string> {
  const folder = makeFolder({ "package.json": '{ "private": true, "type": "module" }' });
  const quick = ["--prefer-offline", "--fetch-retries=0", "--no-audit", "--no-fund"];
  const ran = await npm(folder.root, ["install", ...packages, "--omit=dev", ...quick]);
  if (ran.code === 0) return folder;
  const offline = OFFLINE.exec(ran.err);
  if (offline === null) throw new Error(`npm install ended (${ran.code}): ${ran.err}`);
  return `its packages are not at hand and the registry cannot be reached (${offline[1]})`;
}
