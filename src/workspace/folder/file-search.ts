import { type Files, type Image, type Listed, onDevice, type Skip, sameFile } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";

interface Searched {
  readonly files: Pick<Files, "walk">;
  /** Returns true for files that are no documents. */
  readonly skips: Skip;
  /** Returns false for the path of another document that has a file. */
  readonly isFree: (path: DocPath) => boolean;
}

/** Finds missing files under other names, with walks through the folder. */
export class FileSearch {
  readonly #folder: Searched;
  /** The images to find with the next walk, and what it finds. */
  #next: { readonly images: Image[]; readonly found: Promise<ReadonlyMap<Image, Listed>> } | undefined;
  #walking: Promise<unknown> = Promise.resolve();

  constructor(folder: Searched) {
    this.#folder = folder;
  }

  /** Finds the file of the first of these images that has one. All who ask until a walk begins share it. */
  async find(images: readonly Image[]): Promise<Listed | undefined> {
    this.#next ??= this.#begin();
    const { images: sought, found } = this.#next;
    sought.push(...images);
    const there = await found;
    return images.map((image) => there.get(image)).find((file) => file !== undefined);
  }

  #begin() {
    const images: Image[] = [];
    const found = this.#walking.then(async () => {
      this.#next = undefined;
      return (await this.walk(images.map((image) => ({ of: image, image })))).found;
    });
    this.#walking = found.catch(() => undefined); // who asked gets the error
    return { images, found };
  }

  /** Finds missing files, each the same file at a path of no other document, and all paths of files. */
  async walk<T>(missing: readonly { readonly of: T; readonly image: Image }[]): Promise<{
    readonly found: ReadonlyMap<T, Listed>;
    readonly there: ReadonlySet<DocPath>;
  }> {
    const there = new Set<DocPath>();
    const byInode = new Map<bigint, { readonly of: T; readonly image: Image }[]>();
    for (const one of missing) byInode.set(one.image.ino, [...(byInode.get(one.image.ino) ?? []), one]);
    const found = new Map<T, Listed>();
    const { files, skips, isFree } = this.#folder;
    for await (const { path, image } of files.walk(skips)) {
      there.add(path);
      const candidates = byInode.get(image.ino);
      if (candidates === undefined || !isFree(path)) continue;
      const known = candidates.find((one) => sameFile(onDevice(one.image, image.dev), image));
      if (known !== undefined) found.set(known.of, { path, image });
    }
    return { found, there };
  }
}
