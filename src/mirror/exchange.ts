import { readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import koffi from "koffi";

/** Swaps two names in one step, so that whatever was at either is still there afterwards. @throws on refusal */
export type Exchange = (a: string, b: string) => void;

const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;
const RENAME_SWAP = 2;

/** The exchange, if the file system can do it: two files in the staging folder are swapped to see. */
export function usableExchange(staging: string): Exchange | undefined {
  const [a, b] = [join(staging, "probe-a"), join(staging, "probe-b")];
  writeFileSync(a, "a");
  writeFileSync(b, "b");
  try {
    const exchange = systemExchange();
    exchange?.(a, b);
    return readFileSync(a, "utf8") === "b" ? exchange : undefined;
  } catch {
    return undefined; // the system or this file system has none: a plain rename has to do
  } finally {
    forget(a);
    forget(b);
  }
}

/** Removes a staged file; one that cannot be removed now is removed at the next start. */
export function forget(staged: string): void {
  try {
    unlinkSync(staged);
  } catch {
    // Gone already, or its folder is: nothing that anybody waits for.
  }
}

/** The system's call for it; undefined where there is none. */
function systemExchange(): Exchange | undefined {
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
