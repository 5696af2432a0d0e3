import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { unifiedDiff } from "../../text/diff/unified.ts";
import { agrees } from "./ask.ts";
import { CommandError, EXIT, paint, paintDiff, print, printJson, printText } from "./output.ts";

interface ChangeOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
  /** The advice for a person if the file cannot be changed. */
  readonly instead: string;
}

/** Shows a change of a settings file and makes it, if the person agrees. `after` undefined removes the file. */
export async function changeSettings(
  file: string,
  before: string | undefined,
  after: string | undefined,
  { yes = false, json, instead }: ChangeOptions,
): Promise<void> {
  if (before === after) {
    if (json) return printJson({ file, changed: false });
    return print(`${file} is as it should be; nothing was changed`);
  }
  const diff = unifiedDiff(before ?? "", after ?? "", { from: before ? file : "/dev/null", to: file });
  if (!json) printText(paintDiff(diff));
  if (!yes && !(await agrees(`Change ${file}?`)))
    throw new CommandError(
      EXIT.refused,
      `${file} was not changed`,
      "add --yes to change it without a question",
    );
  try {
    if (after === undefined) {
      rmSync(file);
      removeEmptyFolders(file);
    } else {
      mkdirSync(dirname(file), { recursive: true });
      replace(file, after);
    }
  } catch (error) {
    throw unusable(file, error, instead);
  }
  if (json) printJson({ file, changed: true });
  else print(`${paint("green", after === undefined ? "removed" : "changed")} ${file}`);
}

/** Removes the folders of a removed file, such as `.opencode/plugin`, up to the hidden one, as far as they are empty. */
function removeEmptyFolders(file: string): void {
  const folders = [dirname(file), dirname(dirname(file))];
  const hidden = folders.findIndex((folder) => basename(folder).startsWith("."));
  try {
    for (const folder of folders.slice(0, hidden + 1)) rmdirSync(folder);
  } catch {
    // The rest has other files, or stays for another reason that harms nobody.
  }
}

/** Writes a whole file in one step, so that the old one stays where the disk is full. A link stays a link. */
function replace(file: string, text: string): void {
  const old = statSync(file, { throwIfNoEntry: false });
  const at = old === undefined ? file : realpathSync(file);
  accessSync(old === undefined ? dirname(at) : at, constants.W_OK); // a rename would also replace a file that is read-only
  const aside = `${at}.${process.pid}`;
  try {
    writeFileSync(aside, text, { flag: "wx" });
    if (old !== undefined) chmodSync(aside, old.mode);
    renameSync(aside, at);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

/** Returns the text of a settings file; undefined if there is none. @throws CommandError if it cannot be read */
export function settingsText(file: string, instead: string): string | undefined {
  try {
    const bytes = readFileSync(file);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unusable(file, error, instead);
  }
}

function unusable(file: string, error: unknown, instead: string): CommandError {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA")
    return new CommandError(EXIT.refused, `${file} is not UTF-8 text`, "save it as UTF-8, then try again");
  return new CommandError(
    EXIT.refused,
    `${file} cannot be read and written (${code})`,
    `check its permissions with: ls -l, or ${instead}`,
  );
}
