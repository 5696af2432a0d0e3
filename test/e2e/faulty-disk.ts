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

/** The reason why system calls cannot be made to fail here; undefined when they can. */
export function noInjection(): string | undefined {
  return failing("strace", ["-D", "-qq", "-o", "/dev/null", "-e", "inject=fdatasync:error=EIO", "true"]);
}

/** Starts a daemon in which the `nth` call of a kind fails in each thread. */
export function failingCall(calls: string, error: string, nth: number): StartOptions {
  const inject = `inject=${calls}:error=${error}:when=${nth}`;
  // One thread for background work, so that calls are counted in their order.
  const traced = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", `trace=${calls}`, "-e", inject];
  return { through: ["env", "UV_THREADPOOL_SIZE=1", ...traced] };
}

/** The reason why no file system can be mounted here; undefined when one can. */
export function noMounts(): string | undefined {
  return failing("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", tmpdir()]);
}

/** The reason why no file can be mounted as a disk here; undefined when one can. */
export function noLoops(): string | undefined {
  return noMounts() ?? failing("mkfs.ext4", ["-V"]) ?? failing("losetup", ["--find"]);
}

/** Returns a folder on a new file system in memory with this number of bytes. */
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

/** Uses all free space; the returned function frees it again. */
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

/** Runs a command; returns its errors when it fails. */
function failing(command: string, args: readonly string[]): string | undefined {
  const { status, error, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status === 0) return undefined;
  return error?.message ?? `${command} ended with ${status}: ${stderr.trim()}`;
}

/** A file system in a file, which acts as a machine's disk. */
export interface Disk {
  readonly folder: Folder;
  /**
   * Returns another disk with the state after a power cut at this moment: it lacks the data that is only in the
   * system's memory. No process may write meanwhile; the result is undefined when the system itself wrote.
   */
  cut(): Disk | undefined;
  remove(): void;
}

/** Large enough that a busy store takes a part of it for its log. */
const DISK_BYTES = 320 << 20;

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

/** Returns a folder for disk images, in memory where possible, because real disks are slow to copy. */
function shared(): string {
  return mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "spliced-image-"));
}

function must(command: string, args: readonly string[]): void {
  const problem = failing(command, args);
  if (problem !== undefined) throw new Error(problem);
}
