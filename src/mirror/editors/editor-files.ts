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

/** The endings that programs give to the name of a file's next version, until they rename it. */
export const UNFINISHED: readonly RegExp[] = [
  // Qt: six random letters, which are hardly ever a word such as `Config`
  /\.(?=[A-Za-z][a-z]*[A-Z])(?=[A-Z]*[a-z])[A-Za-z]{6}$/,
  /\.tmp(\.\d+)?(\.[0-9a-z]+)?$/i,
  /___jb_(tmp|old)___$/,
  /\.(part|partial|swap|bak\d*)$/i,
];

/** Names of other files with a file's text: its next version, and its former ones; the first group is the file's name. */
const COPIES: readonly RegExp[] = [
  ...UNFINISHED.map(({ source, flags }) => new RegExp(`^(.+)${source}`, flags)),
  // rsync
  /^\.(.+)\.[A-Za-z0-9]{6}$/,
  /^(.+)\.(?:crswap|orig|old)$/i,
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
  const file = fileBeside(fileNameOf(path));
  // The swap file of a hidden file begins with one dot only.
  return beside(path, file === undefined ? [] : [file, `.${file}`]);
}

/** Returns the paths of the files whose text may be at a path: as `editedBeside`, and those that it may be a copy of. */
export function copiedBeside(path: DocPath): readonly DocPath[] {
  const name = fileNameOf(path);
  const names: string[] = [];
  for (const form of COPIES) {
    const [, file] = form.exec(name) ?? [];
    if (file !== undefined) names.push(file);
  }
  return [...editedBeside(path), ...beside(path, names)];
}

function beside(path: DocPath, names: readonly string[]): readonly DocPath[] {
  const folder = folderOf(path);
  return names.map((name) => (folder === "" ? name : `${folder}/${name}`) as DocPath);
}
