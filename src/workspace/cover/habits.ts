import { fileBeside, UNFINISHED } from "../../mirror/editors/editor-files.ts";

/**
 * Names that programs give to files for a moment while they save another file, observed from Claude Code, sed, perl,
 * vim, vis, Emacs, GLib, Qt, Chrome, JetBrains, npm, Python, rsync and office programs.
 */
const TEMPORARY: readonly RegExp[] = [
  ...UNFINISHED,
  /^\.?tmp[\w-]{4,}$/i,
  /^sed[A-Za-z0-9]{6}$/,
  /^\.goutputstream-\w+$/,
  /\.crswap$/,
  /\.\d{6,}$/,
  /^\..+\.[A-Za-z0-9]{6}$/,
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
