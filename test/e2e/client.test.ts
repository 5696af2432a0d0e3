import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { Change } from "../../src/client/index.ts";
import { connect, DisconnectedError, RefusedError } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { atEnd } from "./cleanup.ts";
import { BIN, startDaemon } from "./daemon.ts";
import { makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { until, within } from "./until.ts";

describe("the client and a real daemon", () => {
  test("[CN2, CN4, CN6, CN8] work goes on through kill -9 and a restart", async () => {
    const folder = makeFolder({ "notes.md": "one\n" });
    const daemon = await startDaemon(folder.root);
    const client = await within("hello", connect({ name: "writer", folder: folder.root }));
    atEnd(() => client.close());
    const live = await client.openDocument("notes.md");
    const changes: Change[] = [];
    const listening = (async () => {
      for await (const change of client.changes({ path: "notes.md" })) changes.push(change);
    })();
    live.edit([{ from: 0, to: 0, insert: "zero\n" }]);
    await live.settled();
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i}\n`);
    const asked = lines.map((text) => client.edit.append({ path: "notes.md", text }));
    await asked[3];
    await daemon.kill();
    live.edit([{ from: 0, to: 0, insert: "while it was away\n" }]);
    await until("the loss is noticed", () => client.state === "reconnecting");

    const next = await serveFolder(folder.root);
    expect(next.located.token).toBe(daemon.located.token);
    await within("all appends are answered", Promise.all(asked));
    await within("the live edit is answered", live.settled());
    const { text, version } = await client.doc.read({ path: "notes.md" });
    await until("the live text is the daemon's", () => live.text === text);
    for (const line of [...lines, "zero\n", "while it was away\n"])
      expect(text.split(line), line).toHaveLength(2);
    await until(
      `the newest change is told, ${version}`,
      () => changes.at(-1)?.version,
      (told) => told === version,
    );
    const places = changes.map((change) => Number.parseInt(change.version, 10));
    expect(places).toEqual(places.map((_, i) => places[0]! + i));
    await client.close();
    await listening;
  });

  further("[CN3] a token that is revoked ends it with the reason, and does not try for ever", async () => {
    const folder = makeFolder({ "notes.md": "one\n" });
    const daemon = await serveFolder(folder.root);
    const cli = (...args: string[]) =>
      execFileSync(process.execPath, [BIN, ...args], { cwd: folder.root, encoding: "utf8" });
    const { token } = JSON.parse(cli("token", "add", "guest", "--allow", "**=read", "--json")) as {
      token: string;
    };
    const client = await daemon.connect({ token, reconnect: true });
    cli("token", "revoke", "guest");
    await within("it is closed", client.closed);
    expect(client.reason).toBeInstanceOf(RefusedError);
    await expect(client.doc.list()).rejects.toThrow(RefusedError);
    await expect(daemon.connect({ token })).rejects.toThrow(RefusedError);
  });

  test("[CN15] where no daemon is, that is told at once", async () => {
    const { root } = makeFolder();
    await expect(connect({ name: "early", folder: root })).rejects.toThrow(DisconnectedError);
  });
});
