import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readDoor, writeDoor } from "../../src/daemon/process/door.ts";
import { unused } from "../../src/daemon/process/rest.ts";
import { FakeClock } from "../helpers/fake-clock.ts";

function resting() {
  const clock = new FakeClock();
  const abort = new AbortController();
  const state = { connections: 0, begun: 0, ended: false, used: () => {} };
  const options = {
    clock,
    restMs: 1000,
    connections: async () => state.connections,
    begun: () => state.begun,
    listen: (used: () => void) => {
      state.used = used;
      return () => {};
    },
  };
  void unused(options, abort.signal).then(() => {
    state.ended = true;
  });
  return { clock, state };
}

test("[LT1] a daemon that a client started ends once nobody has used it for the rest time", async () => {
  const { clock, state } = resting();
  await clock.advance(900);
  expect(state.ended).toBe(false);
  await clock.advance(200);
  expect(state.ended).toBe(true);
});

test("[LT1] connections and changes of files are use", async () => {
  const { clock, state } = resting();
  state.connections = 1;
  await clock.advance(3000);
  expect(state.ended).toBe(false);
  state.connections = 0;
  await clock.advance(800);
  state.used();
  await clock.advance(800);
  expect(state.ended).toBe(false);
  await clock.advance(400);
  expect(state.ended).toBe(true);
});

test("[LT1] a connection for a single request is use, although no look finds it open", async () => {
  const { clock, state } = resting();
  await clock.advance(800);
  state.begun++;
  await clock.advance(800);
  expect(state.ended).toBe(false);
  await clock.advance(400);
  expect(state.ended).toBe(true);
});

test("[LT2] the door of this user's last daemon here is used again, and no other", () => {
  const folder = mkdtempSync(join(tmpdir(), "spliced-door-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "door.json");
  const first = readDoor(file);
  expect(first.port).toBeUndefined();
  writeDoor(file, { ...first, port: 4321 });
  expect(readDoor(file)).toEqual({ token: first.token, port: 4321 });
  for (const junk of [
    "",
    "{",
    '{"port":1,"token":"x"}',
    JSON.stringify({ content: { ...first, port: 1 }, seal: {} }),
  ]) {
    writeFileSync(file, junk, { mode: 0o600 });
    expect(readDoor(file).token).not.toBe(first.token);
  }
});
