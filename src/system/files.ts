import koffi from "koffi";

// System calls for files that Node does not offer.

/** O_PATH of Linux: a handle that only names a file or folder. Node has no constant for it, nor for O_CLOEXEC. */
export const O_PATH = 0o10000000;
const O_CLOEXEC = 0o2000000;

/** Swaps two names in one step, so that the file of each still exists afterwards. @throws when the system refuses */
export type Exchange = (a: string, b: string) => void;

const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;
const RENAME_SWAP = 2;

/** Returns the exchange of the system; undefined where it has none. */
export function systemExchange(): Exchange | undefined {
  if (process.platform === "linux") {
    const renameat2 = koffi
      .load(null)
      .func(
        "int renameat2(int olddirfd, const char *oldpath, int newdirfd, const char *newpath, unsigned int flags)",
      );
    return (a, b) => check(renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE));
  }
  if (process.platform === "darwin") {
    const renamex = koffi
      .load(null)
      .func("int renamex_np(const char *from, const char *to, unsigned int flags)");
    return (a, b) => check(renamex(a, b, RENAME_SWAP));
  }
  return undefined;
}

const CODES: ReadonlyMap<number, string> = new Map(
  Object.entries(koffi.os.errno)
    .map(([code, errno]) => [errno, code] as const)
    .reverse(), // of two codes with one number, the first counts
);

/** Returns the code of the last call's error. */
function errorCode(): string {
  const errno = koffi.errno();
  return CODES.get(errno) ?? `errno ${errno}`;
}

function check(result: number): void {
  if (result === 0) return;
  const code = errorCode();
  throw Object.assign(new Error(`exchange refused: ${code}`), { code });
}

/** The same on each architecture. */
const SYS_OPENAT2 = 437;
const RESOLVE_NO_SYMLINKS = 0x04n;
const RESOLVE_BENEATH = 0x08n;

export interface FolderOpener {
  /**
   * Opens a folder by its path beneath an open folder, in one step that follows no link (I12). Returns a descriptor that
   * only names the folder, or the system's error code.
   */
  open(beneath: number, path: string): number | string;
  /** Closes such a descriptor. Node would warn in a thread, which knows only the descriptors that Node opened. */
  close(folder: number): void;
}

/** Returns the opener of the system; undefined where it has none. Some containers forbid it: each call returns an error. */
export function folderOpener(): FolderOpener | undefined {
  if (process.platform !== "linux") return undefined;
  const library = koffi.load(null);
  const openat2 = library.func(
    "long syscall(long number, int beneath, const char *path, const void *how, size_t size)",
  );
  const close = library.func("int close(int fd)");
  const how = Buffer.alloc(24);
  how.writeBigUInt64LE(BigInt(O_PATH | O_CLOEXEC), 0);
  how.writeBigUInt64LE(RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH, 16);
  return {
    open: (beneath, path) => {
      const fd = openat2(SYS_OPENAT2, beneath, path, how, how.length);
      return fd >= 0 ? fd : errorCode();
    },
    close,
  };
}

const AT_SYMLINK_NOFOLLOW = 0x100;
const AT_NO_AUTOMOUNT = 0x800;
const STATX_BASIC_STATS = 0x7ff;
const STATX_BTIME = 0x800;
const STATX_BYTES = 256;

/**
 * Looks at the file of a name in an open folder, without following a link. Returns the numbers of statx(2), which the
 * next look overwrites, or the system's error code.
 */
export type LookAt = (folder: number, name: string) => DataView | string;

/** Returns the look of the system, which takes a fifth of the time of lstat in Node; undefined where it has none. */
export function folderLook(): LookAt | undefined {
  if (process.platform !== "linux") return undefined;
  const found = Buffer.alloc(STATX_BYTES);
  const view = new DataView(found.buffer, found.byteOffset, STATX_BYTES);
  const flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
  try {
    const statx = koffi
      .load(null)
      .func("int statx(int folder, const char *name, int flags, unsigned int mask, void *found)");
    const wanted = STATX_BASIC_STATS | STATX_BTIME;
    return (folder, name) => (statx(folder, name, flags, wanted, found) === 0 ? view : errorCode());
  } catch {
    return undefined; // a C library without it
  }
}

/** Returns true while another process has a file open for writing; undefined where the system cannot report it. */
export type Writers = (fd: number) => boolean | undefined;

const F_SETSIG = 10;
const F_SETLEASE = 1024;
const F_RDLCK = 0;
const F_UNLCK = 2;
/** The signal for the holder of a lease when another process opens the file; processes ignore it by default. */
const SIGURG = 23;

/**
 * Finds out whether a write may be under way (I5). Linux grants a read lease on a file only while no process has it
 * open for writing. The probe requests one and releases it at once. Only a file's owner may request a lease, and not
 * every file system supports it.
 */
export function writersProbe(): Writers {
  if (process.platform !== "linux") return () => undefined;
  const fcntl = koffi.load(null).func("int fcntl(int fd, int cmd, long arg)");
  return (fd) => {
    // With the default signal, a process that opens the file at this moment would end this one.
    if (fcntl(fd, F_SETSIG, SIGURG) !== 0) return undefined;
    if (fcntl(fd, F_SETLEASE, F_RDLCK) === 0) {
      fcntl(fd, F_SETLEASE, F_UNLCK);
      return false;
    }
    return koffi.errno() === koffi.os.errno["EAGAIN"] ? true : undefined;
  };
}

const LOCK_EX = 2;
const LOCK_NB = 4;

/**
 * Locks an open file until it is closed, or its process ends. The lock holds for all processes of the kernel, whatever
 * containers they are in. Returns "held" if another opening of the file has it; undefined where the system or the file
 * system has no such locks.
 */
export function lockFile(fd: number): "locked" | "held" | undefined {
  const flock = koffi.load(null).func("int flock(int fd, int operation)");
  if (flock(fd, LOCK_EX | LOCK_NB) === 0) return "locked";
  return koffi.errno() === koffi.os.errno["EAGAIN"] ? "held" : undefined;
}

/** Copies extended attributes, access lists included, from one file to another, as far as the system allows. */
type CarryAttributes = (from: string, to: string) => void;

/** Returns the function that copies extended attributes, without following links; undefined on systems without one. */
export function attributeCarrier(): CarryAttributes | undefined {
  if (process.platform !== "linux") return undefined;
  const system = koffi.load(null);
  const list = system.func("long llistxattr(const char *path, _Out_ uint8_t *list, size_t size)");
  const get = system.func(
    "long lgetxattr(const char *path, const char *name, _Out_ uint8_t *value, size_t size)",
  );
  const set = system.func(
    "int lsetxattr(const char *path, const char *name, const uint8_t *value, size_t size, int flags)",
  );
  return (from, to) => {
    const size = list(from, null, 0);
    if (size <= 0) return;
    const names = Buffer.alloc(size);
    const listed = names.toString("utf8", 0, Math.max(0, list(from, names, size)));
    for (const name of listed.split("\0").slice(0, -1)) {
      const value = Buffer.alloc(Math.max(0, get(from, name, null, 0)));
      if (get(from, name, value, value.length) === value.length) set(to, name, value, value.length, 0);
    }
  };
}
