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
  // ghostwriter
  /^(.+)\.backup$/,
];

/**
 * Names of other files with a file's text: those that programs rename to it at the end of a save, and its former
 * versions; the first group is the file's name.
 */
const COPIES: readonly RegExp[] = [
  // Qt: six random letters, which are hardly ever a word such as `Config`
  /^(.+)\.(?=[A-Za-z][a-z]*[A-Z])(?=[A-Z]*[a-z])[A-Za-z]{6}$/,
  // rsync
  /^\.(.+)\.[A-Za-z0-9]{6}$/,
  /^(.+)\.tmp(\.\d+)?(\.[0-9a-z]+)?$/i,
  /^(.+)___jb_(?:tmp|old)___$/,
  /^(.+)\.(?:crswap|part|partial|swap|bak\d*|orig|old)$/i,
];

/** Returns the name of the file whose backup, lock or swap file has this name; undefined for any other name. */
export function fileBeside(name: string): string | undefined {
  return namesIn(name, BESIDE)[0];
}

/** Returns the paths of the files whose backup, lock or swap file may be at a path; none for any other path. */
export function editedBeside(path: DocPath): readonly DocPath[] {
  const file = fileBeside(fileNameOf(path));
  // The swap file of a hidden file begins with one dot only.
  return beside(path, file === undefined ? [] : [file, `.${file}`]);
}

/** Returns the paths of the files whose text may be at a path: as `editedBeside`, and those that it may be a copy of. */
export function copiedBeside(path: DocPath): readonly DocPath[] {
  return [...editedBeside(path), ...beside(path, namesIn(fileNameOf(path), COPIES))];
}

function namesIn(name: string, forms: readonly RegExp[]): readonly string[] {
  return forms.flatMap((form) => form.exec(name)?.[1] ?? []);
}

function beside(path: DocPath, names: readonly string[]): readonly DocPath[] {
  const folder = folderOf(path);
  return names.map((name) => (folder === "" ? name : `${folder}/${name}`) as DocPath);
}
