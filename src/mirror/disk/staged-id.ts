import type { Image, StagedId } from "../files.ts";

/** A staged file's name is `<document's id>.<process>-<time>-<count>`; its id adds the inode, after a space. */

export function docIdOf(id: StagedId): string {
  return id.slice(0, id.indexOf("."));
}

export function nameOf(id: StagedId): string {
  return id.slice(0, id.lastIndexOf(" "));
}

/** Returns the id of a file at a staged name. After a swap another file has that name, with another inode. */
export function idOf(name: string, { ino }: Pick<Image, "ino">): StagedId {
  return `${name} ${ino}`;
}
