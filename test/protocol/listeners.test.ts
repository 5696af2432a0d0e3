import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import { PresenceGroup } from "../../src/protocol/loro/presence-group.ts";
import { Presences } from "../../src/protocol/service/presence.ts";
import { Text } from "../../src/text/text.ts";
import { DirectExamination } from "../helpers/direct-examination.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { onFakes } from "../workspace/fakes.ts";
import { ALICE } from "../workspace/harness.ts";

function broken(): never {
  throw new TypeError("a defect");
}

test("[LS1] a presence listener that throws does not affect the others", () => {
  const reports: string[] = [];
  const disk = new FakeDisk(systemClock);
  const { workspace } = onFakes(disk, new MemoryStore(), (event) => reports.push(event));
  onTestFinished(() => workspace.close());
  const presences = new Presences(workspace);
  const heard: string[] = [];
  presences.listen(broken);
  presences.listen(({ type }) => heard.push(type));
  presences.begin("s");
  presences.set("s", ALICE, { path: "a.md", text: Text.of("one\n") }, undefined);
  presences.end("s");
  expect([heard, reports]).toEqual([
    ["here", "gone"],
    ["listener.failed", "listener.failed"],
  ]);
});

test("[LS1] a Loro client that throws on presence does not affect the others", async () => {
  const examination = new DirectExamination();
  examination.applyPresence = async () => true;
  const reports: string[] = [];
  const gathering = new PresenceGroup(
    "room",
    examination,
    (event) => void reports.push(event),
    () => {},
  );
  const got: number[] = [];
  const speaker = { receive: broken };
  for (const listener of [speaker, { receive: broken }, { receive: () => got.push(1) }])
    gathering.enter(listener as { receive(): void });
  expect(await gathering.publish(speaker, "s", new Uint8Array())).toBe(true);
  expect([got, reports]).toEqual([[1], ["listener.failed"]]);
});
