import { expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import type { ServedFolder } from "../e2e/daemon.ts";
import { makeFolder } from "../e2e/folder.ts";
import { serveFolder } from "../e2e/served.ts";
import { until } from "../e2e/until.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { openPage } from "./browser.ts";

const LINES = Array.from({ length: 120 }, (_, n) => `Line ${n + 1} of the plan.\n`);

let daemon: ServedFolder;
let agent: Client;
let thread: string;

beginShared(async () => {
  const folder = makeFolder({ "plan.md": LINES.join("") });
  daemon = await serveFolder(folder.root);
  agent = await daemon.connect({ name: "claude" });
  const said = { path: "plan.md", role: "user", text: "Number them in words.\n".repeat(12) } as const;
  ({ thread } = await agent.thread.append(said));
  await agent.doc.read({ path: "plan.md" });
  const { leaseId, messageId } = await agent.thread.lease({ thread });
  const text = LINES.map((line, n) => (n % 12 === 5 ? line.replace("Line", "The line") : line)).join("");
  const files = [{ path: "plan.md", operation: "edit", text }] as const;
  await agent.proposal.create({ files: [...files], thread, messageId });
  await agent.thread.append({ thread, role: "assistant", leaseId, text: "Here they are." });
});

for (const to of ["/doc/plan.md?thread=", "/threads/"])
  (to === "/threads/" ? test : further)(
    `[WP146] a thread that ends in a proposal opens at its end (${to}…)`,
    async () => {
      const page = await openPage(daemon, { to: to + thread });
      const list = page.getByRole("log", { name: "Messages" });
      const end = () => list.evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight);
      await page.getByText("The line 114").waitFor({ state: "attached" });
      await page.getByRole("button", { name: "Approve all" }).waitFor();
      const ends: number[] = [];
      await until(
        "the list has stayed at one end",
        async () => ends.push(await end()),
        () => ends.length > 20 && new Set(ends.slice(-20)).size === 1,
      );
      expect(ends.at(-1)).toBeLessThan(2);
      await list.hover();
      await page.mouse.wheel(0, -700);
      await until("the list is scrolled up", async () => (await end()) > 300);
      const top = await list.evaluate((one) => one.scrollTop);
      await agent.thread.append({ thread, role: "user", text: `And the others of ${to}?` });
      await list.getByText(`And the others of ${to}?`).waitFor({ state: "attached" });
      expect(Math.abs((await list.evaluate((one) => one.scrollTop)) - top)).toBeLessThan(40);
      // The person's own message leads to the end again.
      await page.getByRole("textbox", { name: "Your message" }).fill(`I see them in ${to}`);
      await page.keyboard.press("Control+Enter");
      await list.getByText(`I see them in ${to}`).waitFor();
      await until("the list shows its end", async () => (await end()) < 2);
    },
  );

further("[WP146] in a narrow window the lines of a difference are as high as their text", async () => {
  const page = await openPage(daemon, { to: `/threads/${thread}`, width: 420 });
  const short = page.locator(".diff-line", { hasText: /^Line \d+ of the plan\.$/ });
  await short.first().waitFor();
  const heights = await short.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
  expect(Math.max(...heights)).toBeLessThan(24);
});
