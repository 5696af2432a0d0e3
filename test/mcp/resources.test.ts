import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { DisconnectedError } from "../../src/client/errors.ts";
import type { Caller } from "../../src/mcp/caller.ts";
import { ResourceNotifier } from "../../src/mcp/resource-notifier.ts";
import { pathOf, Resources, uriOf } from "../../src/mcp/resources.ts";
import { McpWorkspace } from "./mcp-workspace.ts";

describe("resources", () => {
  test("[MC9] are the text documents, listed and read by their URIs", async () => {
    const guest = await McpWorkspace.in({ "a b/c#d.md": "hash\n", "n.json": "{}" });
    guest.bench.write("image.png", Uint8Array.of(0x89, 0, 1, 2));
    const { resources } = await guest.client.listResources();
    expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([
      ["spliced://doc/a%20b/c%23d.md", "text/markdown"],
      ["spliced://doc/n.json", "application/json"],
    ]);
    const { contents } = await guest.client.readResource({ uri: resources[0]!.uri });
    expect(contents).toEqual([{ uri: resources[0]!.uri, mimeType: "text/markdown", text: "hash\n" }]);
    const { resourceTemplates } = await guest.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(["spliced://doc/{+path}"]);
  });

  test("[MC9] of a large workspace are listed in pages", async () => {
    const files = Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`${i}.md`, ""]));
    const guest = await McpWorkspace.in(files);
    const first = await guest.client.listResources();
    const second = await guest.client.listResources({ cursor: first.nextCursor });
    expect([first.resources.length, second.resources.length, second.nextCursor]).toEqual([500, 1, undefined]);
    await expect(guest.client.listResources({ cursor: "x" })).rejects.toThrow(/cursor is invalid/);
  });

  test("[MC9] each path has one URI, and each URI one path", () => {
    for (const path of ["a.md", "a b/ü/%41.md", "q?x#y.md", "\u{1f600}.md"])
      expect(pathOf(uriOf(path))).toBe(path);
    for (const uri of ["file:///a.md", "spliced://doc/", "spliced://doc/%", "spliced://else/a.md", ""])
      expect(() => pathOf(uri), uri).toThrow(/URI of a resource/);
  });

  test("[MC9] a resource that cannot be read is refused with the reason", async () => {
    const guest = await McpWorkspace.in({ "large.md": "x\n".repeat(600_000) }, {}, { maxFileBytes: 2 << 20 });
    await expect(guest.client.readResource({ uri: uriOf("large.md") })).rejects.toThrow(/in parts/);
    await expect(guest.client.readResource({ uri: "spliced://doc/none.md" })).rejects.toMatchObject({
      code: -32602,
      data: { uri: "spliced://doc/none.md" },
    });
    await expect(guest.client.readResource({ uri: "spliced://doc/%2e%2e/x" })).rejects.toThrow(/PATH_ESCAPE/);
    await expect(guest.client.subscribeResource({ uri: "spliced://doc/none.md" })).rejects.toThrow(
      /NOT_FOUND/,
    );
  });

  test("[MC25] a subscriber is notified of updates until it unsubscribes", async () => {
    const guest = await McpWorkspace.in({ "a.md": "1", "b.md": "1" });
    const updated: string[] = [];
    guest.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      updated.push(params.uri);
    });
    const bob = guest.colleague("bob");
    const append = (path: string) => bob.request("edit.append", { path, text: "x" });
    await guest.client.subscribeResource({ uri: uriOf("a.md") });
    await guest.client.subscribeResource({ uri: uriOf("b.md") });
    await append("a.md");
    await expect.poll(() => updated).toEqual([uriOf("a.md")]);
    await guest.client.unsubscribeResource({ uri: uriOf("a.md") });
    await append("a.md");
    await append("b.md");
    await expect.poll(() => updated).toEqual([uriOf("a.md"), uriOf("b.md")]);
  });

  test("[MC26] a client that listed them is notified when the list changes", async () => {
    const guest = await McpWorkspace.in({ "a.md": "1" });
    let notified = 0;
    guest.client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {
      notified++;
    });
    await guest.client.listResources();
    const bob = guest.colleague("bob");
    await bob.request("doc.create", { path: "b.md", text: "" });
    await expect.poll(() => notified).toBe(1);
    await bob.request("doc.rename", { path: "b.md", to: "c.md" });
    await expect.poll(() => notified).toBe(2);
  });
});

test("[MC26] a client whose first subscription failed is notified once it could subscribe", async () => {
  const asked: string[] = [];
  let isAway = true;
  const caller = {
    on: () => () => {},
    request: async (method: string) => {
      asked.push(method);
      if (isAway) throw new DisconnectedError("the daemon is away");
      return {};
    },
    close() {},
  };
  const resources = new Resources(caller as unknown as Caller, { updated() {}, listChanged() {} });
  await expect(resources.listen({ resourcesListChanged: true })).rejects.toThrow();
  isAway = false;
  await resources.listen({ resourcesListChanged: true });
  await resources.listen({ resourcesListChanged: true });
  expect(asked).toEqual(["subscribe", "subscribe"]);
});

test("[MC27] notifications wait while the client does not read, and arrive once for each resource", async () => {
  const sent: string[] = [];
  let ready = false;
  let checks = 0;
  const announcer = new ResourceNotifier({
    ready: () => ++checks > 0 && ready,
    updated: async (uri) => void sent.push(uri),
    listChanged: async () => void sent.push("list"),
  });
  for (let i = 0; i < 1000; i++) announcer.updated(`u${i % 2}`);
  announcer.listChanged();
  await expect.poll(() => checks).toBeGreaterThan(1);
  expect(sent).toEqual([]);
  ready = true;
  await expect.poll(() => sent).toEqual(["u0", "u1", "list"]);
});
