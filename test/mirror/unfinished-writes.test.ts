import { describe, expect, test } from "vitest";
import { accepted, LIMITS } from "../workspace/harness.ts";
import { Machine } from "../workspace/machine.ts";

const SAVED = "one\ntwo\nthree\n";

/** Opens the file and writes to it, and waits until the daemon has the text; the returned function closes the file. */
async function writer(machine: Machine, text: string): Promise<() => void> {
  const close = machine.disk.openForWriting("a.md");
  machine.disk.write("a.md", text);
  const opening = machine.workspace.open("a.md");
  await machine.clock.advance(3000);
  accepted(await opening);
  return close;
}

describe("a file that another process writes to", () => {
  test("[I5] in place is taken in once it holds still, as one save", async () => {
    const machine = new Machine("one\n");
    const document = await machine.document();
    const finish = machine.disk.tear("a.md", SAVED, 2);
    const opening = machine.workspace.open("a.md");
    await machine.settled();
    expect(document.text.toString()).toBe("one\n");
    finish();
    await machine.clock.advance(1000);
    expect(accepted(await opening)).toBe(document);
    expect([document.text.toString(), document.head.seq]).toEqual([SAVED, 1]);
  });

  test("[I5] after the looks that found it whole is taken in once it holds still, as one save", async () => {
    const machine = new Machine("one\n");
    const document = await machine.document();
    machine.disk.save("a.md", "one\ntwo\n"); // whole, because it came by a rename
    const { files } = machine.workspace.ports;
    const { read } = files;
    let finish = () => {};
    files.read = (...args) => {
      files.read = read;
      finish = machine.disk.tear("a.md", SAVED, 5);
      return read.apply(files, args);
    };
    const opening = machine.workspace.open("a.md");
    await machine.settled();
    expect(document.text.toString()).toBe("one\n");
    finish();
    await machine.clock.advance(1000);
    accepted(await opening);
    expect([document.text.toString(), document.head.seq]).toEqual([SAVED, 1]);
  });

  test("[I3] is not replaced until that process closes it, for a moment", async () => {
    const machine = new Machine("one\n");
    await machine.document();
    const close = machine.disk.openForWriting("a.md");
    const edit = machine.flushed(machine.append("edited\n", { ack: "mirrored" }));
    await machine.settled();
    expect(machine.disk.text("a.md")).toBe("one\n");
    close();
    await machine.clock.advance(100);
    accepted(await edit);
    expect(machine.disk.text("a.md")).toBe("one\nedited\n");
  });

  test("[I3j] through a mapping is taken in although no stamp shows it, once the process has closed the file", async () => {
    const machine = new Machine("one\n");
    const document = await machine.document();
    const close = await writer(machine, "one\ntwo\n");
    expect(document.text.toString()).toBe("one\ntwo\n");
    machine.disk.inode("a.md")!.bytes = Buffer.from("one\nTWO\n");
    close();
    await machine.workspace.verify();
    await machine.clock.advance(1000);
    expect(document.text.toString()).toBe("one\nTWO\n");
  });

  test("[I3j] through a mapping is merged with an edit that replaces the file", async () => {
    const machine = new Machine("one\n");
    const document = await machine.document();
    const close = await writer(machine, "one\ntwo\n");
    machine.disk.inode("a.md")!.bytes = Buffer.from("one\nTWO\n");
    close();
    const edit = machine.flushed(machine.append("edited\n", { ack: "mirrored" }));
    await machine.clock.advance(1000);
    accepted(await edit);
    await machine.clock.advance(1000);
    await document.mirror.sweep();
    await machine.clock.advance(1000);
    await machine.flush();
    expect([document.text.toString(), machine.disk.text("a.md")]).toEqual(
      Array(2).fill("one\nTWO\nedited\n"),
    );
  });
});

describe("a write of the daemon", () => {
  test("[ED1] is followed by one of the edit that was made just as it ended", async () => {
    const machine = new Machine("");
    accepted(await machine.flushed(machine.append("one\n", { ack: "mirrored" })));
    await machine.clock.advance(LIMITS.mirrorEveryMs); // the writing rests no longer
    accepted(await machine.flushed(machine.append("two\n")));
    await machine.clock.advance(1000);
    await machine.flush();
    expect(machine.disk.text("a.md")).toBe("one\ntwo\n");
  });

  test("[FA7] that fails when it is not needed any more leaves no file blocked", async () => {
    const machine = new Machine("");
    accepted(await machine.flushed(machine.append("one\n", { ack: "mirrored" })));
    const document = await machine.document();
    const { files } = machine.workspace.ports;
    let fail = () => {};
    files.sync = async () => ({ kind: "io", message: "EIO" });
    files.stage = () =>
      new Promise((staged) => {
        fail = () => staged({ kind: "full", message: "no space left" });
      });
    await machine.clock.advance(1000); // the writing rests no longer
    await document.sync(); // the daemon writes the file again
    await machine.settled();
    machine.disk.save("a.md", "one\nsaved\n");
    expect(await machine.text()).toBe("one\nsaved\n");
    fail();
    await machine.settled();
    expect(document.mirror.problem?.kind).toBe("full");
    await machine.clock.advance(10_000);
    expect(document.mirror.problem).toBeUndefined();
  });
});
