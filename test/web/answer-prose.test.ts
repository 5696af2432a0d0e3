import { expect } from "vitest";
import { makeFolder } from "../e2e/folder.ts";
import { serveFolder } from "../e2e/served.ts";
import { further } from "../helpers/further.ts";
import { openPage } from "./browser.ts";

const PIECES = [
  "I made it **shor",
  "ter**:\n\n1. the `table`\n2. [the plan](https://example.org/plan)\n\n```md\n| a | b |\n",
  '```\n\n<img src=x onerror="window.hacked = 1"> [a](javascript:window.hacked=1) <script>window.hacked = 1</script>\n\n',
  `| a | b |\n|---|---|\n| ${"x".repeat(200)} | 2 |\n`,
];

further(
  "[WP147, WP148] an answer is shown as Markdown while it comes, with nothing of its own in the page",
  async () => {
    const daemon = await serveFolder(makeFolder({ "plan.md": "# Plan\n" }).root);
    const agent = await daemon.connect({ name: "claude" });
    const { thread } = await agent.thread.append({
      path: "plan.md",
      role: "user",
      text: "Make it **shorter**.",
    });
    const { leaseId } = await agent.thread.lease({ thread });
    const page = await openPage(daemon, { to: `/doc/plan.md?thread=${thread}`, width: 420 });
    const messages = page.getByRole("log", { name: "Messages" });
    const say = (text: string) => agent.thread.part({ leaseId, parts: [{ kind: "text", text }] });

    await say(PIECES[0]!);
    await messages.getByText("I made it **shor").waitFor();
    await say(PIECES[1]!);
    await messages.locator(".prose strong", { hasText: "shorter" }).waitFor();
    const first = await messages.locator(".prose > p").first().elementHandle();
    await messages.locator(".prose pre", { hasText: "| a | b |" }).waitFor();
    await say(PIECES[2]!);
    await say(PIECES[3]!);
    await messages.locator(".prose td", { hasText: "xxx" }).waitFor();
    expect(await first!.evaluate((one) => one.isConnected)).toBe(true);

    await agent.thread.append({ thread, role: "assistant", leaseId });
    await messages.getByText("answers …").waitFor({ state: "detached" });
    await messages.getByText("<img src=x", { exact: false }).waitFor();
    const made = await messages.evaluate((list) => ({
      links: [...list.querySelectorAll(".prose a")].map((a) => [
        a.getAttribute("href"),
        a.getAttribute("rel"),
      ]),
      others: list.querySelectorAll("img, script, iframe, style, [onerror]").length,
      items: [...list.querySelectorAll(".prose ol > li")].map((item) => item.textContent),
      wide: list.scrollWidth - list.clientWidth,
    }));
    expect(made).toEqual({
      links: [["https://example.org/plan", "noopener noreferrer"]],
      others: 0,
      items: ["the table", "the plan"],
      wide: 0,
    });
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    // What a person wrote stays as it was written.
    await messages.getByText("Make it **shorter**.").waitFor();
  },
);
