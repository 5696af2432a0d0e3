import { expect, test } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import type { Image } from "../../src/mirror/files.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import type { Document } from "../../src/workspace/document/document.ts";
import { type KnownDocuments, MissingFiles } from "../../src/workspace/folder/missing-files.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { FakeFiles } from "../helpers/fake-files.ts";

const [A, B] = ["a.md", "b.md"] as DocPath[] as [DocPath, DocPath];

/** The file of a document that is not in memory was moved from a.md to b.md; `load` loads the document at a.md. */
function moved(load: (disk: FakeDisk) => void) {
  const disk = new FakeDisk(systemClock);
  disk.save(A, "one\n");
  const files = new FakeFiles(disk);
  const image = files.look(A) as Image;
  disk.move(A, B);
  const document = { path: A, mirror: { image } } as Document;
  const moves: string[] = [];
  const tree = {
    loaded: () => [],
    isFree: () => true,
    movedFrom: () => undefined,
    moves: { from: () => undefined },
    fallen: { from: () => undefined },
    load: async () => {
      load(disk);
      return document;
    },
    move: async (_: Document, to: DocPath) => void moves.push(to),
  } as unknown as KnownDocuments;
  const missing = new MissingFiles(files, systemClock, [], tree);
  missing.rest(A, image);
  return { missing, document, moves };
}

test("[DC22] a file that was moved keeps its document", async () => {
  const { missing, document, moves } = moved(() => {});
  expect(await missing.arrivedAt(B)).toBe(document);
  expect(moves).toEqual([B]);
});

test("[DC22] and is none of a document whose own file comes to the former path meanwhile", async () => {
  const { missing, moves } = moved((disk) => disk.save(A, "another\n"));
  expect(await missing.arrivedAt(B)).toBeUndefined();
  expect(moves).toEqual([]);
});
