import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { atEnd } from "./cleanup.ts";
import type { StartOptions } from "./daemon.ts";
import { type Folder, folderAt } from "./folder.ts";

/** Why system calls cannot be made to fail here; undefined when they can. */
export function noInjection(): string | undefined {
  return failing("strace", ["-D", "-qq", "-o", "/dev/null", "-e", "inject=fdatasync:error=EIO", "true"]);
}

/** A daemon of which, in each of its threads, one call fails: the `nth` of a kind. */
export function failingCall(calls: string, error: string, nth: number): StartOptions {
  const inject = `inject=${calls}:error=${error}:when=${nth}`;
  // One thread for work aside, so that calls are counted in the order in which they are made.
  const traced = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", `trace=${calls}`, "-e", inject];
  return { through: ["env", "UV_THREADPOOL_SIZE=1", ...traced] };
}

/** Why no file system can be mounted here; undefined when one can. */
export function noMounts(): string | undefined {
  return failing("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", tmpdir()]);
}

/** Why no file can be mounted as a disk here; undefined when one can. */
export function noLoops(): string | undefined {
  return noMounts() ?? failing("mkfs.ext4", ["-V"]) ?? failing("losetup", ["--find"]);
}

/** A folder on a file system of its own, in memory and of so many bytes. */
export function makeSmallDisk(bytes: number, files: Readonly<Record<string, string>> = {}): Folder {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "spliced-disk-")));
  mount("-t", "tmpfs", "-o", `size=${bytes},mode=0700`, "spliced-test", root);
  atEnd(() => unmount(root));
  const folder = folderAt(root);
  for (const [path, content] of Object.entries(files)) folder.write(path, content);
  return folder;
}

/** Makes a folder a file system of its own, in memory. */
export function mountOver(at: string): void {
  mkdirSync(at, { recursive: true });
  mount("-t", "tmpfs", "-o", "size=1m,mode=0755", "spliced-test", at);
  atEnd(() => unmount(at));
}

/** Makes a file system read-only (`ro`), or not (`rw`). */
export function remount(at: string, how: "ro" | "rw"): void {
  mount("-o", `remount,${how}`, at);
}

/** Takes all the space that is left; gives it back when the answer is called. */
export function fillUp(folder: Folder): () => void {
  const filler = folder.at("filler.bin");
  for (let size = 65_536; size >= 1; size >>= 1)
    for (;;) {
      try {
        writeFileSync(filler, Buffer.alloc(size, 1), { flag: "a" });
      } catch {
        break;
      }
    }
  return () => rmSync(filler);
}

function mount(...args: string[]): void {
  must("mount", args);
}

function unmount(at: string): void {
  failing("umount", ["-l", at]);
  rmdirSync(at);
}

/** Runs a command; what it says when it fails. */
function failing(command: string, args: readonly string[]): string | undefined {
  const { status, error, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status === 0) return undefined;
  return error?.message ?? `${command} ended with ${status}: ${stderr.trim()}`;
}

/** A file system of its own in a file, as a machine's disk would be. */
export interface Disk {
  readonly folder: Folder;
  /**
   * What a power cut at this moment would leave, on another disk: what the system still holds in memory is not
   * on it. Nothing may be written meanwhile; undefined when the system itself wrote something just then.
   */
  cut(): Disk | undefined;
  remove(): void;
}

const DISK_BYTES = 24 << 20;

export function makeDisk(files: Readonly<Record<string, string>> = {}): Disk {
  const image = join(shared(), "disk.img");
  writeFileSync(image, "");
  truncateSync(image, DISK_BYTES);
  must("mkfs.ext4", ["-q", "-F", image]);
  const disk = attach(image);
  for (const [path, content] of Object.entries(files)) disk.folder.write(path, content);
  must("sync", ["-f", disk.folder.root]);
  return disk;
}

function attach(image: string): Disk {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "spliced-disk-")));
  mount("-o", "loop", image, root);
  let mounted = true;
  const remove = () => {
    if (!mounted) return;
    mounted = false;
    unmount(root);
    rmSync(dirname(image), { recursive: true });
  };
  atEnd(remove);
  const folder = folderAt(root);
  const cut = () => {
    const copy = join(shared(), "disk.img");
    const before = statSync(image, { bigint: true }).mtimeNs;
    must("cp", ["--sparse=always", image, copy]);
    if (statSync(image, { bigint: true }).mtimeNs === before) return attach(copy);
    rmSync(dirname(copy), { recursive: true });
    return undefined;
  };
  return { folder, cut, remove };
}

/** A folder for disk images, in memory where there is such a place: real disks are slow to copy. */
function shared(): string {
  return mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "spliced-image-"));
}

function must(command: string, args: readonly string[]): void {
  const problem = failing(command, args);
  if (problem !== undefined) throw new Error(problem);
}
