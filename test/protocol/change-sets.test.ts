import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AgentBounds, Rights } from "../../src/workspace/access/rights.ts";
import { times } from "../e2e/long.ts";
import { Bench } from "../workspace/harness.ts";
import { greeted, type Message, Talk } from "./talk.ts";
import "../helpers/seeds.ts";

const FILES = { "a.md": "one\ntwo\n", "b.md": "bee\n", "c.md": "sea\n" };
const SET = {
  files: [
    { path: "a.md", operation: "edit", replace: { old: "two", new: "2" }, version: "latest" },
    { path: "new/d.md", operation: "create", text: "dee\n" },
    { path: "b.md", operation: "delete" },
    { path: "c.md", operation: "rename", to: "e.md" },
  ],
  reasoning: "belongs together",
};

interface File {
  readonly path: string;
  readonly operation: string;
  readonly diff: string;
  readonly status: string;
  readonly problem: string | null;
  readonly hunks: readonly { readonly number: number }[];
}

interface Answer {
  readonly id: string;
  readonly status: string;
  readonly problem: string | null;
  readonly reasoning: string;
  readonly files: readonly (File & { readonly proposal: string; readonly changeId: string | null })[];
  readonly edits: readonly unknown[];
  readonly edit: { readonly changeId: string };
  readonly obsolete: readonly { readonly id: string; readonly status: string }[];
  readonly changes: readonly {
    readonly batchId?: string;
    readonly kind: string;
  }[];
  readonly proposals: readonly unknown[];
  readonly proposal: string;
  readonly applied_batch: string;
  readonly patch_id: string;
  readonly base_hash: string;
  readonly successful: boolean;
  readonly errors: readonly { readonly code: string; readonly fileIndex: number }[];
  readonly result: Answer & { readonly batchId: string | null };
}

const resultOf = (message: Message): Answer => {
  expect(message.error).toBeUndefined();
  return message.result as unknown as Answer;
};
const errorOf = (message: Message) => {
  expect(message.error).toBeDefined();
  return message.error!.data;
};

/** An owner, and a guest who may only propose, on the same files. */
async function both(files: Record<string, string> = FILES) {
  const owner = await greeted(files);
  const rights = new Rights([{ glob: "**", level: "propose" }]);
  const guest = await owner.again({ name: "guest", rights });
  return { owner, guest, read: (path: string) => owner.bench.read(path) };
}

/** A session of the owner on a bench that was restarted. */
async function greetedOn(bench: Bench): Promise<Talk> {
  const talk = new Talk(bench);
  await talk.hello();
  return talk;
}

const propose = async (talk: Talk, params: object = SET) =>
  resultOf(await talk.ask("proposal.create", params));
const there = (talk: Talk, path: string) => {
  try {
    return talk.bench.read(path);
  } catch {
    return undefined;
  }
};

describe("a proposal of several files", () => {
  test("[PO36, PO51] is one proposal that changes nothing, and one approval makes all of it as one batch", async () => {
    const { owner, guest } = await both();
    const { id, files, status } = await propose(guest);
    expect([status, files.map(({ path, operation }: File) => [path, operation])]).toEqual([
      "pending",
      [
        ["a.md", "edit"],
        ["new/d.md", "create"],
        ["b.md", "delete"],
        ["c.md", "rename"],
      ],
    ]);
    expect([there(owner, "new/d.md"), owner.bench.read("b.md")]).toEqual([undefined, "bee\n"]);
    const approved = resultOf(await owner.ask("proposal.approve", { id }));
    expect(approved).toMatchObject({ status: "approved", problem: null });
    expect(approved.edits).toHaveLength(4);
    const paths = ["a.md", "new/d.md", "b.md", "c.md", "e.md"];
    const after = ["one\n2\n", "dee\n", undefined, undefined, "sea\n"];
    expect(paths.map((path) => there(owner, path))).toEqual(after);
    const { changes } = resultOf(await owner.ask("history.list", {}));
    const batch = approved.applied_batch;
    expect(changes.filter((change: { batchId?: string }) => change.batchId === batch)).toHaveLength(4);
    resultOf(await owner.ask("undo", { batchId: batch }));
    const before = ["one\ntwo\n", undefined, "bee\n", "sea\n", undefined];
    expect(paths.map((path) => there(owner, path))).toEqual(before);
    const found = resultOf(await owner.ask("change.get", { batchId: batch }));
    expect(found.files).toHaveLength(4);
    resultOf(await owner.ask("redo", { batchId: batch }));
    expect(paths.map((path) => there(owner, path))).toEqual(after);
  });

  test("[PO37] shows a creation as added, a deletion as removed, and a rename by both paths", async () => {
    const { guest } = await both();
    const { files } = await propose(guest);
    expect(files.map(({ diff }: File) => diff)).toEqual([
      expect.stringContaining("-two\n+2\n"),
      "--- /dev/null\n+++ b/new/d.md\n@@ -0,0 +1,1 @@\n+dee\n",
      "--- a/b.md\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-bee\n",
      "rename from c.md\nrename to e.md\n",
    ]);
  });

  test("[PO39, PO58] is approved by file and hunk; the rest stays pending under its id", async () => {
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`);
    const { owner, guest } = await both({ ...FILES, "a.md": `${lines.join("\n")}\n` });
    const text = `${lines.with(1, "TWO").with(18, "NINETEEN").join("\n")}\n`;
    const { id } = await propose(guest, {
      files: [
        { path: "a.md", operation: "edit", text, version: "latest" },
        { path: "b.md", operation: "delete" },
      ],
    });
    const first = resultOf(
      await owner.ask("proposal.approve", { id, files: [{ path: "a.md", hunks: [2] }] }),
    );
    expect([first.status, first.files.map(({ status }: File) => status)]).toEqual([
      "pending",
      ["pending", "pending"],
    ]);
    expect(owner.bench.read("a.md")).toBe(`${lines.with(18, "NINETEEN").join("\n")}\n`);
    expect(errorOf(await owner.ask("proposal.approve", { id, hunks: [1] })).code).toBe("INVALID_ARGUMENT");
    for (const beside of [{ hunks: [1] }, { version: "1-x" }]) {
      const both = { id, files: [{ path: "b.md" }], ...beside };
      expect(errorOf(await owner.ask("proposal.approve", both))).toMatchObject({
        code: "INVALID_ARGUMENT",
        details: { problems: [{ message: "with files, hunks and version stand in the files" }] },
      });
    }
    expect(errorOf(await owner.ask("proposal.approve", { id, files: [{ path: "x.md" }] })).code).toBe(
      "INVALID_ARGUMENT",
    );
    const second = resultOf(await owner.ask("proposal.approve", { id, files: [{ path: "b.md" }] }));
    expect(second.files.map(({ status }: File) => status)).toEqual(["pending", "approved"]);
    expect(there(owner, "b.md")).toBeUndefined();
    expect(resultOf(await owner.ask("proposal.approve", { id })).status).toBe("approved");
    expect(owner.bench.read("a.md")).toBe(text);
  });

  const meanwhile: [what: string, method: string, params: object, named: string][] = [
    ["the words to change were changed", "edit.replace", { path: "a.md", old: "two", new: "TOO" }, "a.md"],
    ["a file appeared in a new one's place", "doc.create", { path: "new/d.md", text: "mine\n" }, "new/d.md"],
    ["the file to delete was edited", "edit.append", { path: "b.md", text: "more\n" }, "b.md"],
    ["the file to rename was deleted", "doc.delete", { path: "c.md" }, "c.md"],
    ["a file appeared at the new path", "doc.create", { path: "e.md", text: "mine\n" }, "e.md"],
    ["the file to edit was deleted", "doc.delete", { path: "a.md" }, "a.md"],
  ];
  for (const [what, method, params, named] of meanwhile)
    test(`[PO38] is refused as a whole, naming the file, after ${what}`, async () => {
      const { owner, guest } = await both();
      const { id } = await propose(guest);
      resultOf(
        await owner.ask(method, { ...params, ...(method.startsWith("edit.") && { version: "latest" }) }),
      );
      const paths = ["a.md", "new/d.md", "b.md", "c.md", "e.md"];
      const before = paths.map((path) => there(owner, path));
      const { code, details } = errorOf(await owner.ask("proposal.approve", { id }));
      expect(code).toMatch(/CONFLICT|ALREADY_EXISTS|DELETED/);
      const { files } = details as { files: { path: string; message: string }[] };
      expect(JSON.stringify(files)).toContain(named);
      expect(paths.map((path) => there(owner, path))).toEqual(before);
      const shown = resultOf(await owner.ask("proposal.get", { id }));
      expect([shown.status, shown.problem]).toEqual(["pending", expect.stringContaining(named)]);
    });

  test("[BA18] takes its files back when an edit does not fit at the last moment", async () => {
    const { owner, guest } = await both();
    const { id } = await propose(guest);
    const { workspace } = owner.bench;
    const other = await owner.again();
    const rename = workspace.rename.bind(workspace);
    workspace.rename = async (...args) => {
      workspace.rename = rename;
      await other.ask("edit.replace", { path: "a.md", old: "two", new: "TOO", version: "latest" });
      return rename(...args);
    };
    expect(errorOf(await owner.ask("proposal.approve", { id })).code).toBe("CONFLICT");
    const paths = ["a.md", "new/d.md", "b.md", "c.md", "e.md"];
    expect(paths.map((path) => there(owner, path))).toEqual([
      "one\nTOO\n",
      undefined,
      "bee\n",
      "sea\n",
      undefined,
    ]);
  });

  test("[PO40] closes a part whose result is there already with the others", async () => {
    const { owner, guest } = await both();
    const { id } = await propose(guest);
    await owner.ask("doc.delete", { path: "b.md" });
    await owner.ask("doc.create", { path: "new/d.md", text: "dee\n" });
    const shown = resultOf(await owner.ask("proposal.get", { id }));
    expect(shown.files.map(({ status }: File) => status)).toEqual([
      "pending",
      "superseded",
      "superseded",
      "pending",
    ]);
    const approved = resultOf(await owner.ask("proposal.approve", { id }));
    expect([approved.status, approved.edits.length]).toEqual(["approved", 2]);
  });

  test("[PO24] is superseded once all of it is there already", async () => {
    const { owner, guest } = await both();
    const { id } = await propose(guest, { files: [{ path: "b.md", operation: "delete" }] });
    await owner.ask("doc.delete", { path: "b.md" });
    expect(resultOf(await owner.ask("proposal.get", { id })).status).toBe("superseded");
  });

  test("[PO7] follows its documents through renames", async () => {
    const { owner, guest } = await both();
    const { id } = await propose(guest);
    await owner.ask("doc.rename", { path: "a.md", to: "sub/a.md" });
    await owner.ask("doc.rename", { path: "b.md", to: "sub/b.md" });
    resultOf(await owner.ask("proposal.approve", { id }));
    expect([there(owner, "sub/a.md"), there(owner, "sub/b.md")]).toEqual(["one\n2\n", undefined]);
  });

  test("[PO36] edits a file that it also renames, takes a place that it frees, and changes the case of a name", async () => {
    const { owner, guest } = await both();
    const { id } = await propose(guest, {
      files: [
        { path: "a.md", operation: "edit", replace: { old: "two", new: "2" }, version: "latest" },
        { path: "a.md", operation: "rename", to: "b.md" },
        { path: "b.md", operation: "delete" },
        { path: "a.md", operation: "create", text: "another\n" },
        { path: "c.md", operation: "rename", to: "C.md" },
      ],
    });
    resultOf(await owner.ask("proposal.approve", { id }));
    expect(["a.md", "b.md", "c.md", "C.md"].map((path) => there(owner, path))).toEqual([
      "another\n",
      "one\n2\n",
      undefined,
      "sea\n",
    ]);
  });

  const wrong: [what: string, files: object[], code: string][] = [
    [
      "a file twice",
      [
        { path: "b.md", operation: "delete" },
        { path: "b.md", operation: "delete" },
      ],
      "INVALID_ARGUMENT",
    ],
    [
      "an edit and a deletion of a file",
      [
        { path: "b.md", operation: "delete" },
        { path: "b.md", operation: "edit", text: "x", version: "latest" },
      ],
      "INVALID_ARGUMENT",
    ],
    ["a creation over a file", [{ path: "b.md", operation: "create", text: "x" }], "ALREADY_EXISTS"],
    ["a rename onto a file", [{ path: "b.md", operation: "rename", to: "c.md" }], "ALREADY_EXISTS"],
    ["a path outside", [{ path: "../x.md", operation: "create", text: "x" }], "PATH_ESCAPE"],
    [
      "the daemon's own folder",
      [{ path: ".spliced/x", operation: "create", text: "x" }],
      "PERMISSION_DENIED",
    ],
    ["a missing file", [{ path: "x.md", operation: "delete" }], "NOT_FOUND"],
    ["an ignored file", [{ path: "sub/ignored", operation: "create", text: "x" }], "IGNORED"],
    ["a NUL", [{ path: "x.md", operation: "create", text: "\0" }], "NOT_TEXT"],
    [
      "an edit that changes nothing",
      [{ path: "b.md", operation: "edit", text: "bee\n", version: "latest" }],
      "INVALID_ARGUMENT",
    ],
    ["a stale deletion", [{ path: "b.md", operation: "delete", version: "7-abcdef" }], "STALE_VERSION"],
    ["a creation without text", [{ path: "x.md", operation: "create" }], "INVALID_ARGUMENT"],
    ["a rename without a path", [{ path: "b.md", operation: "rename" }], "INVALID_ARGUMENT"],
  ];
  for (const [what, files, code] of wrong)
    test(`[PO3] of ${what} is refused and not stored`, async () => {
      const { guest } = await both();
      expect(errorOf(await guest.ask("proposal.create", { files })).code).toBe(code);
      expect(resultOf(await guest.ask("proposal.list", {})).proposals).toEqual([]);
    });

  test("[PO42] is shown to whoever may read all of its files, and approved by whoever may write them", async () => {
    const { owner, guest } = await both();
    const { id } = await propose(guest);
    const part = await owner.again({
      name: "part",
      rights: new Rights([
        { glob: "b.md", level: "none" },
        { glob: "**", level: "write" },
      ]),
    });
    expect(errorOf(await part.ask("proposal.get", { id })).code).toBe("NOT_FOUND");
    expect(resultOf(await part.ask("proposal.list", {})).proposals).toEqual([]);
    const half = await owner.again({
      name: "half",
      rights: new Rights([
        { glob: "b.md", level: "read" },
        { glob: "**", level: "write" },
      ]),
    });
    expect(errorOf(await half.ask("proposal.approve", { id })).code).toBe("PERMISSION_DENIED");
    expect(errorOf(await half.ask("proposal.reject", { id })).code).toBe("PERMISSION_DENIED");
    const approved = resultOf(await half.ask("proposal.approve", { id, files: [{ path: "a.md" }] }));
    expect(approved.status).toBe("pending");
  });

  test("[PO43] an approval names the other proposals that cannot be approved any more", async () => {
    const { owner, guest } = await both();
    const edit = { operation: "edit", version: "latest" };
    const first = await propose(guest);
    const same = await propose(guest, {
      files: [{ path: "a.md", ...edit, replace: { old: "two", new: "2" } }],
    });
    const other = await propose(guest, {
      files: [{ path: "a.md", ...edit, replace: { old: "two", new: "zwei" } }],
    });
    const gone = await propose(guest, {
      files: [{ path: "b.md", ...edit, replace: { old: "bee", new: "B" } }],
    });
    const beside = await propose(guest, {
      files: [{ path: "a.md", ...edit, replace: { old: "one", new: "1" } }],
    });
    const { obsolete } = resultOf(await owner.ask("proposal.approve", { id: first.id }));
    const named = new Map(obsolete.map(({ id, status }: { id: string; status: string }) => [id, status]));
    expect(named).toEqual(
      new Map([
        [same["id"], "superseded"],
        [other.id, named.get(other.id)],
        [gone["id"], "pending"],
      ]),
    );
    expect(named.has(beside.id)).toBe(false);
  });

  test("[PO12] notifies the subscribers of each of its documents who may read all of them", async () => {
    const { owner, guest } = await both();
    const part = await owner.again({
      name: "part",
      rights: new Rights([
        { glob: "b.md", level: "none" },
        { glob: "**", level: "write" },
      ]),
    });
    for (const talk of [owner, part]) await talk.ask("subscribe", { pattern: "**" });
    const { id } = await propose(guest);
    const heard = ({ sent }: Talk) =>
      sent.flatMap(({ method, params }) => (method === "proposal.changed" ? [params!["path"]] : []));
    await expect.poll(() => heard(owner)).toEqual(["a.md", "new/d.md", "b.md", "c.md", "e.md"]);
    expect([heard(part), resultOf(await owner.ask("proposal.get", { id })).status]).toEqual([[], "pending"]);
  });

  test("[PO36] has up to 200 files", async () => {
    const names = Array.from({ length: 200 }, (_, i) => `many/${i}.md`);
    const { owner, guest } = await both(Object.fromEntries(names.slice(0, 100).map((name) => [name, "x\n"])));
    const files = names.map((path, i) =>
      i < 100
        ? { path, operation: "edit", text: "y\n", version: "latest" }
        : { path, operation: "create", text: "new\n" },
    );
    const { id } = await propose(guest, { files });
    resultOf(await owner.ask("proposal.approve", { id }));
    expect(names.map((name) => there(owner, name))).toEqual(names.map((_, i) => (i < 100 ? "y\n" : "new\n")));
    expect(errorOf(await guest.ask("proposal.create", { files: [...files, ...files] })).code).toBe(
      "INVALID_ARGUMENT",
    );
  });
});

describe("hunks", () => {
  test("[PO47] are split to single changes on demand, and approved by those numbers", async () => {
    const { owner, guest } = await both({ "a.md": "one\ntwo\nthree\nfour\n" });
    const text = "ONE\ntwo\nTHREE\nand a half\nfour\n";
    const { id } = await propose(guest, {
      files: [{ path: "a.md", operation: "edit", text, version: "latest" }],
    });
    const hunksOf = async (params: object) =>
      (resultOf(await owner.ask("proposal.get", { id, ...params })) as unknown as File).hunks;
    expect(await hunksOf({})).toHaveLength(1);
    expect(await hunksOf({ context: 0 })).toHaveLength(2);
    expect(errorOf(await owner.ask("proposal.approve", { id, hunks: [2] })).code).toBe("INVALID_ARGUMENT");
    resultOf(await owner.ask("proposal.approve", { id, hunks: [2], context: 0 }));
    expect(owner.bench.read("a.md")).toBe("one\ntwo\nTHREE\nand a half\nfour\n");
    resultOf(await owner.ask("proposal.approve", { id }));
    expect(owner.bench.read("a.md")).toBe(text);
  });
});

describe("comments on a proposal", () => {
  test("[PO46] are one thread of those who may read all of its files, also of a set that only creates", async () => {
    const { owner, guest } = await both();
    const part = await owner.again({
      name: "part",
      rights: new Rights([
        { glob: "new/**", level: "none" },
        { glob: "**", level: "write" },
      ]),
    });
    const created = await propose(guest, { files: [{ path: "new/x.md", operation: "create", text: "x" }] });
    for (const { id } of [await propose(guest), created]) {
      const say = (talk: Talk, text: string) =>
        talk.ask("thread.append", { proposal: id, role: "user", text }).then(resultOf);
      const [first, second] = (await Promise.all([
        say(owner, "Why?"),
        say(guest, "Because."),
      ])) as unknown as {
        thread: string;
      }[];
      expect(second!.thread).toBe(first!.thread);
      const { threads } = resultOf(await guest.ask("thread.list", { proposal: id })) as unknown as {
        threads: object[];
      };
      expect(threads).toMatchObject([{ id: first!.thread, proposal: id, messages: 2, private: false }]);
      expect(await part.ask("thread.list", { proposal: id })).toMatchObject({ result: { threads: [] } });
      const hidden = { proposal: id, role: "user", text: "Hello?" };
      expect(errorOf(await part.ask("thread.append", hidden)).code).toBe("NOT_FOUND");
    }
  });
});

describe("sets under attack", () => {
  const edit = (path: string, old: string, updated: string) => ({
    path,
    operation: "edit",
    replace: { old, new: updated },
    version: "latest",
  });

  test("[PO36] two sets about the same files that are approved at once are each made whole or not at all", async () => {
    for (let round = 0; round < 5; round++) {
      const { owner, guest } = await both();
      const first = await propose(guest, {
        files: [edit("a.md", "one", "1"), { path: "b.md", operation: "delete" }],
      });
      const second = await propose(guest, {
        files: [edit("a.md", "two", "2"), { path: "b.md", operation: "rename", to: "x.md" }],
      });
      const reviewer = await owner.again();
      const answers = await Promise.all([
        owner.ask("proposal.approve", { id: first.id }),
        reviewer.ask("proposal.approve", { id: second.id }),
      ]);
      const [isFirst, isSecond] = answers.map(({ error }) => error === undefined);
      expect(isFirst || isSecond).toBe(true);
      const text = `${isFirst ? "1" : "one"}\n${isSecond ? "2" : "two"}\n`;
      expect([owner.bench.read("a.md"), there(owner, "b.md")]).toEqual([text, undefined]);
      expect(there(owner, "x.md")).toBe(isFirst ? undefined : "bee\n");
    }
  });

  test("[PO42, AG1] an agent neither proposes nor sees anything at private paths", async () => {
    const bench = new Bench({ "a.md": "one\n", "secret/key.md": "k\n" });
    const owner = new Talk(bench, undefined, { agents: new AgentBounds([], ["secret/**"]) });
    await owner.hello({ role: "person" });
    const agent = await owner.again({
      name: "guest",
      rights: new Rights([{ glob: "**", level: "propose" }]),
    });
    const tries: object[][] = [
      [{ path: "secret/new.md", operation: "create", text: "x" }],
      [{ path: "secret/key.md", operation: "create", text: "x" }],
      [{ path: "secret/key.md", operation: "delete" }],
      [{ path: "a.md", operation: "rename", to: "secret/a.md" }],
      [{ path: "secret/key.md", operation: "rename", to: "mine.md" }],
    ];
    for (const files of tries) {
      const { code, details } = errorOf(await agent.ask("proposal.create", { files }));
      expect([files, code, Object.keys(details)]).toEqual([
        files,
        "NOT_FOUND",
        expect.not.arrayContaining(["nearest"]),
      ]);
    }
    for (const [method, params] of [
      ["doc.create", { path: "secret/new.md", text: "x" }],
      ["doc.delete", { path: "secret/key.md" }],
      ["doc.rename", { path: "a.md", to: "secret/b.md" }],
    ] as const)
      expect(errorOf(await agent.ask(method, params)).code).toBe("NOT_FOUND");
    const { id } = resultOf(
      await owner.ask("proposal.create", {
        files: [edit("a.md", "one", "1"), { path: "secret/key.md", operation: "delete" }],
      }),
    );
    expect(errorOf(await agent.ask("proposal.get", { id })).code).toBe("NOT_FOUND");
  });

  test("[PO41] a rename over a name that differs only in case, and one to another case, are told apart", async () => {
    const { owner, guest } = await both();
    await owner.ask("doc.create", { path: "C.md", text: "big\n" });
    const files = [{ path: "c.md", operation: "rename", to: "C.md" }];
    expect(errorOf(await guest.ask("proposal.create", { files })).code).toBe("ALREADY_EXISTS");
    await owner.ask("doc.delete", { path: "C.md" });
    const { id } = await propose(guest, { files });
    resultOf(await owner.ask("proposal.approve", { id }));
    expect([there(owner, "c.md"), there(owner, "C.md")]).toEqual([undefined, "sea\n"]);
  });

  test("[PO38] a file whose folder's place a file has taken refuses the set and leaves nothing", async () => {
    const { owner, guest } = await both();
    const { id } = await propose(guest, {
      files: [edit("a.md", "one", "1"), { path: "f/x.md", operation: "create", text: "x" }],
    });
    await owner.ask("doc.create", { path: "f", text: "a file\n" });
    expect(errorOf(await owner.ask("proposal.approve", { id })).code).not.toBe("INTERNAL");
    expect([owner.bench.read("a.md"), owner.bench.read("f")]).toEqual(["one\ntwo\n", "a file\n"]);
    expect(resultOf(await owner.ask("proposal.get", { id })).status).toBe("pending");
  });

  test("[PO36] an approval that is sent twice is made once", async () => {
    const { owner, guest } = await both();
    const { id } = await propose(guest);
    const reviewer = await owner.again();
    const answers = await Promise.all([
      owner.ask("proposal.approve", { id }),
      reviewer.ask("proposal.approve", { id }),
    ]);
    expect(answers.filter(({ error }) => error === undefined)).toHaveLength(1);
    expect(answers.find(({ error }) => error)!.error!.data.code).toBe("CONFLICT");
  });

  test("[ST18, I18] is stored and read again over a restart, also after a partial approval", async () => {
    const { owner, guest } = await both();
    const { id } = await propose(guest);
    resultOf(await owner.ask("proposal.approve", { id, files: [{ path: "b.md" }] }));
    const before = resultOf(await owner.ask("proposal.get", { id }));
    await owner.bench.restart();
    const again = await greetedOn(owner.bench);
    expect(resultOf(await again.ask("proposal.get", { id }))).toEqual(before);
    resultOf(await again.ask("proposal.approve", { id }));
    expect(["a.md", "new/d.md", "c.md", "e.md"].map((path) => there(again, path))).toEqual([
      "one\n2\n",
      "dee\n",
      undefined,
      "sea\n",
    ]);
  });
});

describe("a token that may only propose", () => {
  const FILE_METHODS: [method: string, params: object, operation: string][] = [
    ["doc.create", { path: "x.md", text: "ex\n" }, "create"],
    ["doc.delete", { path: "b.md" }, "delete"],
    ["doc.rename", { path: "b.md", to: "x.md" }, "rename"],
  ];
  for (const [method, params, operation] of FILE_METHODS)
    test(`[PO44] proposes with ${method}`, async () => {
      const { owner, guest } = await both();
      const { proposal: id } = resultOf(await guest.ask(method, params));
      expect([there(owner, "x.md"), owner.bench.read("b.md")]).toEqual([undefined, "bee\n"]);
      expect(resultOf(await owner.ask("proposal.get", { id }))).toMatchObject({
        operation,
        status: "pending",
      });
      const { edit } = resultOf(await owner.ask("proposal.approve", { id }));
      expect(edit.changeId).toEqual(expect.stringContaining("chg_"));
      const { changes } = resultOf(await owner.ask("history.list", { limit: 1 }));
      expect(changes[0]).toMatchObject({ agent: "guest/tester", origin: "proposal", kind: operation });
    });

  test("[PO44] proposes with a batch, which says so in its result", async () => {
    const { owner, guest } = await both();
    const batch = {
      batchLabel: "tidy up",
      opId: "op-1",
      files: [
        { docPath: "a.md", replace: { old: "two", new: "2" }, version: "latest" },
        { docPath: "x.md", operation: "create", text: "ex\n" },
        { docPath: "b.md", operation: "delete" },
      ],
    };
    const answer = resultOf(await guest.ask("batch.apply", batch));
    expect(answer).toMatchObject({ successful: true, errors: [], result: { batchId: null } });
    const { proposal: id, files } = answer.result;
    expect(files.map(({ path, changeId }) => [path, changeId])).toEqual([
      ["a.md", null],
      ["x.md", null],
      ["b.md", null],
    ]);
    expect(resultOf(await guest.ask("batch.apply", batch)).result.proposal).toBe(id);
    expect(resultOf(await owner.ask("proposal.get", { id })).reasoning).toBe("tidy up");
    resultOf(await owner.ask("proposal.approve", { id }));
    expect(["a.md", "x.md", "b.md"].map((path) => there(owner, path))).toEqual([
      "one\n2\n",
      "ex\n",
      undefined,
    ]);
  });

  test("[PO44] previews an edit, and applying the preview proposes it", async () => {
    const { owner, guest } = await both();
    const params = { path: "a.md", old: "two", new: "2", version: "latest" };
    const shown = resultOf(await guest.ask("preview.create", { method: "edit.replace", params }));
    const { patch_id, base_hash } = shown;
    const { files } = resultOf(await guest.ask("preview.apply", { patch_id, base_hash }));
    expect(files).toMatchObject([{ changeId: null, proposal: expect.stringContaining("prop_") }]);
    expect(owner.bench.read("a.md")).toBe("one\ntwo\n");
    expect(errorOf(await guest.ask("preview.apply", { patch_id, base_hash })).code).toBe("CONFLICT");
    resultOf(await owner.ask("proposal.approve", { id: files[0]!.proposal }));
    expect(owner.bench.read("a.md")).toBe("one\n2\n");
  });

  test("[PO54] restores a version by a proposal, and undoes nothing", async () => {
    const { owner, guest } = await both();
    const made = resultOf(
      await owner.ask("edit.replace", { path: "a.md", old: "two", new: "2", version: "latest" }),
    ) as unknown as { changeId: string };
    const { changes } = resultOf(await owner.ask("history.list", { path: "a.md" })) as unknown as {
      changes: { version: string }[];
    };
    const { version } = changes[1]!;
    const refused = errorOf(await guest.ask("undo", { changeId: made.changeId }));
    expect([refused.code, refused.suggestion]).toEqual([
      "PERMISSION_DENIED",
      expect.stringContaining("Restore an older version"),
    ]);
    const { proposal } = resultOf(await guest.ask("history.restore", { path: "a.md", version }));
    expect(there(owner, "a.md")).toBe("one\n2\n");
    resultOf(await owner.ask("proposal.approve", { id: proposal }));
    expect(there(owner, "a.md")).toBe("one\ntwo\n");
  });

  test("[PO44] is refused a batch that does not fit, with every reason", async () => {
    const { guest } = await both();
    const files = [
      { docPath: "a.md", replace: { old: "three", new: "3" }, version: "latest" },
      { docPath: "b.md", operation: "create", text: "x" },
    ];
    const { successful, errors } = resultOf(await guest.ask("batch.apply", { files }));
    const codes = errors.map(({ code, fileIndex }: { code: string; fileIndex: number }) => [code, fileIndex]);
    expect([successful, codes.sort()]).toEqual([
      false,
      [
        ["ALREADY_EXISTS", 1],
        ["NO_MATCH", 0],
      ],
    ]);
  });
});

describe("a batch with changes of files", () => {
  const files = [
    { docPath: "a.md", replace: { old: "two", new: "2" }, version: "latest" },
    { docPath: "x/y.md", operation: "create", text: "why\n" },
    { docPath: "b.md", operation: "delete" },
    { docPath: "c.md", operation: "rename", to: "d.md" },
  ];
  const PATHS = ["a.md", "x/y.md", "b.md", "c.md", "d.md"];

  test("[BA17] makes all of it, answers with each diff, and is undone as one", async () => {
    const { owner } = await both();
    const { result } = resultOf(await owner.ask("batch.apply", { files }));
    expect(
      result.files.map((file: { operation?: string; diff: string }) => [file.operation, file.diff]),
    ).toEqual([
      [undefined, expect.stringContaining("+2")],
      ["create", expect.stringContaining("+why")],
      ["delete", expect.stringContaining("-bee")],
      ["rename", ""],
    ]);
    expect(PATHS.map((path) => there(owner, path))).toEqual([
      "one\n2\n",
      "why\n",
      undefined,
      undefined,
      "sea\n",
    ]);
    resultOf(await owner.ask("undo", { batchId: result.batchId }));
    expect(PATHS.map((path) => there(owner, path))).toEqual([
      "one\ntwo\n",
      undefined,
      "bee\n",
      "sea\n",
      undefined,
    ]);
  });

  test("[PV1, PV2] is previewed, and the preview makes exactly what it showed, or nothing", async () => {
    const { owner } = await both();
    const preview = async () =>
      resultOf(await owner.ask("preview.create", { method: "batch.apply", params: { files } }));
    const stale = await preview();
    expect(stale.files.map(({ diff }) => diff)).toEqual([
      expect.stringContaining("+2"),
      expect.stringContaining("+why"),
      expect.stringContaining("-bee"),
      "",
    ]);
    await owner.ask("edit.append", { path: "b.md", text: "more\n" });
    const tokens = ({ patch_id, base_hash }: Answer) => ({ patch_id, base_hash });
    expect(errorOf(await owner.ask("preview.apply", tokens(stale))).code).toBe("CONFLICT");
    expect(PATHS.map((path) => there(owner, path))).toEqual([
      "one\ntwo\n",
      undefined,
      "bee\nmore\n",
      "sea\n",
      undefined,
    ]);
    const shown = await preview();
    const applied = resultOf(await owner.ask("preview.apply", tokens(shown)));
    expect(applied).toMatchObject({ batch: { files: [{}, {}, {}, {}] } });
    expect(PATHS.map((path) => there(owner, path))).toEqual([
      "one\n2\n",
      "why\n",
      undefined,
      undefined,
      "sea\n",
    ]);
    expect(errorOf(await owner.ask("preview.apply", tokens(shown))).code).toBe("CONFLICT");
  });

  test("[PO44] is previewed by a token that may only propose, and applying the preview proposes it", async () => {
    const { owner, guest } = await both();
    const shown = resultOf(await guest.ask("preview.create", { method: "batch.apply", params: { files } }));
    const { patch_id, base_hash } = shown;
    const proposed = resultOf(await guest.ask("preview.apply", { patch_id, base_hash }));
    const id = proposed.files[0]!.proposal;
    expect(PATHS.map((path) => there(owner, path))).toEqual([
      "one\ntwo\n",
      undefined,
      "bee\n",
      "sea\n",
      undefined,
    ]);
    resultOf(await owner.ask("proposal.approve", { id }));
    expect(PATHS.map((path) => there(owner, path))).toEqual([
      "one\n2\n",
      "why\n",
      undefined,
      undefined,
      "sea\n",
    ]);
  });

  test("[BA19] gives files any permutation of their paths, with one rename in each history, and takes it back", async () => {
    const permutation = fc.record({
      order: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
      edited: fc.nat(4),
    });
    await fc.assert(
      fc.asyncProperty(permutation, async ({ order, edited }) => {
        const paths = order.map((i) => `${i % 2 === 0 ? "" : "sub/"}f${i}.md`).sort();
        const before = Object.fromEntries(paths.map((path) => [path, `${path}\n`]));
        const owner = await greeted(before);
        const moves = order.flatMap((to, i) => (to === i ? [] : [{ from: paths[i]!, to: paths[to]! }]));
        const files = [
          ...moves.map(({ from, to }) => ({ docPath: from, operation: "rename", to })),
          { docPath: paths[edited], replace: { old: "md", new: "MD" }, version: "latest" },
        ];
        const made = resultOf(await owner.ask("batch.apply", { files }));
        expect(made.errors).toEqual([]);
        const after = Object.fromEntries(order.map((to, i) => [paths[to]!, before[paths[i]!]!]));
        after[paths[order[edited]!]!] = before[paths[edited]!]!.replace("md", "MD");
        const now = () => Object.fromEntries(paths.map((path) => [path, there(owner, path)]));
        expect(now()).toEqual(after);
        for (const { from, to } of moves) {
          const { changes } = resultOf(await owner.ask("history.list", { path: to }));
          const renames = changes.filter(({ kind }) => kind === "rename");
          expect(renames).toMatchObject([{ from, to }]);
        }
        const { docs } = (await owner.ask("doc.list", {})).result as { docs: { path: string }[] };
        expect(docs.map(({ path }) => path).sort()).toEqual(paths);
        resultOf(await owner.ask("undo", { batchId: made.result.batchId }));
        expect(now()).toEqual(before);
        await owner.bench.end();
      }),
      { numRuns: times(10, 250) },
    );
  });

  test("[BA19] a refused batch leaves files that were to swap their paths where they were", async () => {
    const owner = await greeted({ "a.md": "one\n", "b.md": "bee\n", "c.md": "sea\n" });
    const files = [
      { docPath: "a.md", operation: "rename", to: "b.md" },
      { docPath: "b.md", operation: "rename", to: "a.md" },
      { docPath: "d/e.md", operation: "create", text: "x\n" },
    ];
    // The folder's place is taken, which only the creation itself meets.
    owner.bench.write("d", "no folder\n");
    expect(resultOf(await owner.ask("batch.apply", { files })).successful).toBe(false);
    expect([there(owner, "a.md"), there(owner, "b.md")]).toEqual(["one\n", "bee\n"]);
    const { docs } = (await owner.ask("doc.list", {})).result as { docs: { path: string }[] };
    expect(docs.map(({ path }) => path).sort()).toEqual(["a.md", "b.md", "c.md", "d"]);
  });

  test("[BA19] is proposed, approved and made by a token that may write exactly these paths", async () => {
    const { owner, guest } = await both();
    const swap = [
      { path: "b.md", operation: "rename", to: "c.md" },
      { path: "c.md", operation: "rename", to: "b.md" },
    ];
    const { id, files } = await propose(guest, { files: swap });
    expect(files.map(({ problem }) => problem)).toEqual([null, null]);
    const narrow = await owner.again({
      name: "narrow",
      rights: new Rights([
        { glob: "{b,c}.md", level: "write" },
        { glob: "**", level: "read" },
      ]),
    });
    resultOf(await narrow.ask("proposal.approve", { id }));
    expect([there(owner, "b.md"), there(owner, "c.md")]).toEqual(["sea\n", "bee\n"]);
  });

  test("[BA17] changes nothing where one file cannot be changed", async () => {
    const { owner } = await both();
    const bad = [...files, { docPath: "a.md", operation: "create", text: "x" }];
    const { successful, errors } = resultOf(await owner.ask("batch.apply", { files: bad }));
    expect([successful, errors]).toMatchObject([false, [{ code: "ALREADY_EXISTS", fileIndex: 4 }]]);
    expect(PATHS.map((path) => there(owner, path))).toEqual([
      "one\ntwo\n",
      undefined,
      "bee\n",
      "sea\n",
      undefined,
    ]);
  });
});
