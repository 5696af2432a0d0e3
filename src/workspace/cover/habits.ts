import { type DocPath, fileNameOf, folderOf } from "../../mirror/path.ts";

/**
 * Names that programs give to files for a moment while they save another file, observed from Claude Code, sed, perl,
 * vim, Emacs, GLib, Chrome, JetBrains, npm, Python, rsync and office programs.
 */
const TEMPORARY: readonly RegExp[] = [
  /\.tmp(\.\d+)?(\.[0-9a-z]+)?$/i,
  /^\.?tmp[\w-]{4,}$/i,
  /^sed[A-Za-z0-9]{6}$/,
  /^\.goutputstream-\w+$/,
  /\.crswap$/,
  /___jb_(tmp|old)___$/,
  /\.\d{6,}$/,
  /^\..+\.[A-Za-z0-9]{6}$/,
  /\.(part|partial|swap|bak\d*)$/i,
];
/** Names of backups, locks and swap files, which stay beside their file; the first group is the file's name. */
const BESIDE: readonly RegExp[] = [
  /^(.+)~$/,
  /^#(.+)#$/,
  /^\.#(.+)$/,
  /^\.(.+)\.sw[a-p]$/,
  /^\.~lock\.(.+)#$/,
  /^~\$(.+)$/,
];
/**
 * The first of the names that vim tries when it checks whether it may create files: 4913, and each next one 123 more.
 */
const VIM_FIRST = 4913;
const VIM_STEP = 123;

/** The age in milliseconds at which a file with a temporary name is no longer temporary. */
export const STAYS_MS = 2_000;

/** Returns true for a name that programs give to files for a moment. */
export function isTemporaryName(name: string): boolean {
  if (/^\d{4,5}$/.test(name)) {
    const steps = (Number(name) - VIM_FIRST) / VIM_STEP;
    return Number.isInteger(steps) && steps >= 0;
  }
  return TEMPORARY.some((form) => form.test(name)) || fileBeside(name) !== undefined;
}

/** Returns the name of the file whose backup, lock or swap file has this name; undefined for any other name. */
export function fileBeside(name: string): string | undefined {
  for (const form of BESIDE) {
    const [, file] = form.exec(name) ?? [];
    if (file !== undefined) return file;
  }
  return undefined;
}

/** Returns the paths of the files whose backup, lock or swap file may be at a path; none for any other path. */
export function editedBeside(path: DocPath): readonly DocPath[] {
  const folder = folderOf(path);
  const file = fileBeside(fileNameOf(path));
  // The swap file of a hidden file begins with one dot only.
  const names = file === undefined ? [] : [file, `.${file}`];
  return names.map((name) => (folder === "" ? name : `${folder}/${name}`) as DocPath);
}
