import koffi from "koffi";

// What the system can do and Node has no call for.

/** Swaps two names in one step, so that whatever was at either is still there afterwards. @throws on refusal */
export type Exchange = (a: string, b: string) => void;

const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;
const RENAME_SWAP = 2;

/** The system's own exchange; undefined where there is none. */
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

function check(result: number): void {
  if (result === 0) return;
  const errno = koffi.errno();
  const code = Object.entries(koffi.os.errno).find(([, number]) => number === errno)?.[0] ?? `errno ${errno}`;
  throw Object.assign(new Error(`exchange refused: ${code}`), { code });
}

/** True while some process has an open file open for writing; undefined where the system does not tell. */
export type Writers = (fd: number) => boolean | undefined;

const F_SETSIG = 10;
const F_SETLEASE = 1024;
const F_RDLCK = 0;
const F_UNLCK = 2;
/** What the system sends to the holder of a lease that somebody wants broken; ignored by default. */
const SIGURG = 23;

/**
 * Linux grants a read lease on a file only while nobody has it open for writing, so asking for one and giving
 * it back at once tells whether a write may be under way (I5). Only a file's owner may ask, and not every file
 * system answers.
 */
export function writersProbe(): Writers {
  if (process.platform !== "linux") return () => undefined;
  const fcntl = koffi.load(null).func("int fcntl(int fd, int cmd, long arg)");
  return (fd) => {
    // Without this a writer that comes in the very moment would have the holder killed.
    if (fcntl(fd, F_SETSIG, SIGURG) !== 0) return undefined;
    if (fcntl(fd, F_SETLEASE, F_RDLCK) === 0) {
      fcntl(fd, F_SETLEASE, F_UNLCK);
      return false;
    }
    return koffi.errno() === koffi.os.errno["EAGAIN"] ? true : undefined;
  };
}

/** Gives one file the extended attributes of another, access lists among them; those that it may not be given stay behind. */
export type CarryAttributes = (from: string, to: string) => void;

/** Copies extended attributes; undefined where that is not known how to. Links are not followed. */
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
