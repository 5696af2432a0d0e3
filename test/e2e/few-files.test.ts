import { readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished } from "vitest";
import { further } from "../helpers/further.ts";
import { startDaemon } from "./daemon.ts";
import { makeFolder } from "./folder.ts";
import { until } from "./until.ts";

const FILES = 256;
const SOCKETS = 400;
/** A command that limits the open files of the daemon's process. */
const FEW_FILES = ["sh", "-c", `ulimit -n ${FILES}; exec "$@"`, "sh"];

further(
  "[BD22] hundreds of sockets that say nothing keep no save and no edit waiting where few files may be open",
  async () => {
    const { root, at } = makeFolder({ "a.md": "one\n", "b.md": "first\n" });
    const daemon = await startDaemon(root, { through: FEW_FILES });
    const client = await daemon.connect();
    const { hostname, port } = new URL(daemon.located.url);
    const sockets: Socket[] = [];
    let closed = 0;
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    for (let i = 0; i < SOCKETS; i++) {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => undefined); // the daemon closes it, which the test counts
      socket.once("close", () => closed++);
      socket.resume();
      sockets.push(socket);
    }
    await until("most sockets are turned away", () => closed >= SOCKETS - FILES / 2 || undefined);

    await client.edit.append({ path: "a.md", text: "two\n" });
    expect(readFileSync(at("a.md"), "utf8")).toBe("one\ntwo\n");
    writeFileSync(at("b.md"), "first\nsaved\n");
    expect((await client.doc.read({ path: "b.md" })).text).toBe("first\nsaved\n");
    const late = await daemon.connect({ name: "late" });
    expect((await late.doc.read({ path: "a.md" })).text).toBe("one\ntwo\n");
  },
);
