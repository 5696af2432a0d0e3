import { describe, expect, test } from "vitest";
import { RefusedError } from "../../src/client/errors.ts";
import { Bed } from "./bed.ts";

describe("a client", () => {
  test("[CN1] has the protocol's methods on it, nested by the dots of their names", async () => {
    const daemon = await new Bed({ "a.md": "one\n" }).client();
    expect((await daemon.doc.read({ path: "a.md" })).text).toBe("one\n");
    await daemon.edit.append({ path: "a.md", text: "two\n" });
    expect((await daemon.history.list()).changes[0]?.author).toBe("tester");
    expect((await daemon.undo()).path).toBe("a.md");
    expect((await daemon.blame({ path: "a.md" })).path).toBe("a.md");
    await expect(daemon.doc.read({ path: "b.md" })).rejects.toThrow(RefusedError);
  });
});
