import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Machines } from "../../src/link/machines.ts";
import { parseLine } from "../../src/link/members/line.ts";
import { readLink } from "../../src/link/members/link-file.ts";
import { isRefusal } from "../../src/workspace/outcome/refusal.ts";
import { drained } from "../helpers/drained.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { MemoryBroker } from "../helpers/memory-carrier.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { Seeded } from "../helpers/seeded.ts";
import { onFakes } from "../workspace/fakes.ts";
import { accepted } from "../workspace/harness.ts";
import { everywhere, SITE } from "./shared-workspace.ts";

const BROKER = { broker: "nats://localhost:4222", environment: {} };

/** A folder that can be shared through a broker in memory; `during` lets time pass until a promise is settled. */
function folder() {
  const clock = new FakeClock();
  const broker = new MemoryBroker(clock, new Seeded(1));
  const reports: string[] = [];
  const { workspace } = onFakes(
    new FakeDisk(clock),
    new MemoryStore(),
    (event) => reports.push(event),
    clock,
  );
  const state = mkdtempSync(join(tmpdir(), "spliced-sharing-"));
  const file = join(state, "link.json");
  const opened = () =>
    new Machines({ workspace, file, host: "ada", site: () => SITE, openCarrier: () => broker.carrier() });
  const during = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const ended = () => {
      isDone = true;
    };
    work.then(ended, ended);
    while (!isDone) await clock.advance(20);
    return work;
  };
  onTestFinished(async () => {
    await workspace.close();
    rmSync(state, { recursive: true, force: true });
  });
  return { opened, file, state, reports, clock, during };
}

test("[MA143] two calls of workspace.share at once share one workspace", async () => {
  const { opened, file, during } = folder();
  const machines = opened();
  const share = () => machines.share(BROKER, everywhere("write"));
  const [one, two] = (await during(Promise.all([share(), share()]))).map(accepted);
  expect([one!.isNew, two!.isNew]).toEqual([true, false]);
  const { status } = machines;
  expect(status.is === "shared" && status.workspace).toBe(readLink(file)?.workspace);
  await machines.close();
});

test("[MA143] a folder that is left while it is being shared is not shared afterwards", async () => {
  const { opened, file, during } = folder();
  const machines = opened();
  const [shared, left] = await during(
    Promise.all([machines.share(BROKER, everywhere("write")), machines.leave()]),
  );
  expect([isRefusal(shared), left]).toEqual([false, undefined]);
  expect(machines.status).toEqual({ is: "alone" });
  expect(readLink(file)).toBeUndefined();
});

test("[MA144] a link that the disk does not store goes on, and link.unsaved says so", async () => {
  const { opened, state, reports, clock, during } = folder();
  const first = opened();
  accepted(await during(first.share(BROKER, everywhere("write"))));
  await first.close();
  const second = opened();
  second.open();
  rmSync(state, { recursive: true });
  await drained();
  expect(reports).toEqual(["link.unsaved"]);
  await clock.advance(5_000);
  expect(second.status).toMatchObject({ is: "shared", carrier: "connected" });
  await second.close();
});

test("[MA240] a shared folder goes on with its NATS server, and refuses a share that names another one", async () => {
  const { opened, during } = folder();
  const machines = opened();
  const share = (broker: string) => during(machines.share({ ...BROKER, broker }, everywhere("write")));
  expect(accepted(await share("nats://localhost")).isNew).toBe(true);
  expect(accepted(await share("nats://localhost:4222")).isNew).toBe(false);
  expect(await share("nats://elsewhere:4222")).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: "the folder is shared through nats://localhost already",
  });
  await machines.close();
});

test("[MA270] a NATS server is named with or without nats://, alone or among others", async () => {
  const { opened, during } = folder();
  const machines = opened();
  const share = (broker: string) => during(machines.share({ ...BROKER, broker }, everywhere("write")));
  const { line } = accepted(await share("localhost:4222"));
  expect(parseLine(line, 0)).toMatchObject({ broker: "nats://localhost:4222" });
  for (const same of ["localhost", "nats://localhost", "elsewhere, tls://localhost:4222"])
    expect(accepted(await share(same)).isNew).toBe(false);
  for (const other of ["elsewhere", "localhost:4223"])
    expect(await share(other)).toMatchObject({
      message: "the folder is shared through nats://localhost:4222 already",
    });
  expect(await share("http://localhost")).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("neither nats:// nor tls://"),
  });
  await machines.close();
});
