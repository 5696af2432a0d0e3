import { expect, test } from "vitest";
import { FilePlace } from "../../src/lanes/file/file-place.ts";
import type { FileState } from "../../src/lanes/file/file-state.ts";
import type { LaneFileRecord } from "../../src/lanes/records/record.ts";
import type { TurnLooks } from "../../src/lanes/records/turn-looks.ts";
import type { Image } from "../../src/mirror/files.ts";
import type { Mirror } from "../../src/mirror/mirror.ts";
import type { DocPath } from "../../src/mirror/path.ts";

const image = (size: number): Image => ({
  dev: 1n,
  ino: 2n,
  size,
  mtimeNs: BigInt(size),
  ctimeNs: 3n,
  mode: 0o644,
  uid: 0,
  gid: 0,
  links: 1,
});

test.each<[what: string, known: Image | undefined, found: Image | undefined, isRead: boolean]>([
  ["that the daemon has never read", undefined, image(1), false],
  ["that was written since", image(1), image(2), false],
  ["that was not written since", image(1), image(1), true],
  ["that is gone", image(1), undefined, true],
])("[LV78] the new path of a file %s", async (_what, known, found, isRead) => {
  const calls: string[] = [];
  const record: LaneFileRecord = { lane: "claude", path: "a.md" as DocPath, status: "live", image: known };
  const state = { record, move: async () => void calls.push("stored") } as Partial<FileState> as FileState;
  const mirror = { moved: () => {} } as Partial<Mirror> as Mirror;
  const looks = { look: async () => void calls.push("read") } as Partial<TurnLooks> as TurnLooks;
  const place = new FilePlace(state, mirror, looks);
  expect(await place.noted("b.md" as DocPath, found)).toBe(isRead);
  expect(calls).toEqual(isRead ? ["stored"] : ["stored", "read"]);
});
