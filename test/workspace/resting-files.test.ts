import { expect, test } from "vitest";
import type { Image } from "../../src/mirror/files.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { RestingFiles } from "../../src/workspace/folder/resting-files.ts";

const A = "a.md" as DocPath;
const B = "b.md" as DocPath;
const image = (ino: number) => ({ dev: 1n, ino: BigInt(ino) }) as Image;

test("[I15a] of a file that rests again and again, the daemon remembers the last stamps alone", () => {
  const files = new RestingFiles([
    {
      id: "doc_a",
      path: A,
      bom: false,
      landed: 0,
      image: image(1),
      staged: { seq: 1, id: "s", image: image(2) },
    },
  ]);
  const paths = (ino: number) => files.withInode(image(ino)).map(({ path }) => path);
  expect([paths(1), paths(2)]).toEqual([[A], [A]]);
  files.add(A, image(3));
  files.add(B, image(1));
  files.add(A, image(4));
  expect([1, 2, 3, 4].map(paths)).toEqual([[B], [], [], [A]]);
});
