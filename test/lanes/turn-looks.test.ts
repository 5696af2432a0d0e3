import { expect, test } from "vitest";
import { TurnLooks } from "../../src/lanes/records/turn-looks.ts";
import type { Mirror } from "../../src/mirror/mirror.ts";

test("[LV5] the fate of a missing file stays undecided while a turn waits for a look at the file", async () => {
  const looks = new TurnLooks();
  const asked = looks.fate(() => new Promise(() => {}));
  let ends = () => {};
  const fresh = () => new Promise<void>((end) => (ends = end));
  const look = looks.look({ fresh } as Mirror);
  expect(await asked).toBe("undecided");
  expect(await looks.fate(async () => "deleted")).toBe("undecided");
  ends();
  await look;
  expect(await looks.fate(async () => "moved")).toBe("moved");
});
