import { type DocPath, fileNameOf, folderOf } from "../path.ts";

/** Names of backups, locks and swap files, which stay beside their file; the first group is the file's name. */
const BESIDE: readonly RegExp[] = [
  /^(.+)~$/,
  /^#(.+)#$/,
  /^\.#(.+)$/,
  /^\.(.+)\.sw[a-px]$/,
  /^\.(.+)\.kate-swp$/,
  /^\.~lock\.(.+)#$/,
  /^~\$(.+)$/,
  // nano, when its terminal is gone
  /^(.+)\.save(\.\d+)?$/,
];

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
