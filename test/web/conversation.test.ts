import { expect, test } from "vitest";
import { startAgent } from "../e2e/agent-stage.ts";
import { makeFolder } from "../e2e/folder.ts";
import { says, scriptedEndpoint } from "../e2e/scripted-endpoint.ts";
import { serveFolder } from "../e2e/served.ts";
import { tokenFor } from "../e2e/token.ts";
import { until } from "../e2e/until.ts";
import { openPage } from "./browser.ts";

const LONG = "This paragraph is rather long, and it says very little with very many words.";
const BROKEN = "| a | b |\n|---|\n| 1 | 2 |\n";
const FIXED = "| a | b |\n|---|---|\n| 1 | 2 |\n";
const filler = Array.from({ length: 12 }, (_, n) => `Line ${n + 1} of the rest.\n`).join("");
const TEXT = `# Plan\n\n${LONG}\n\n${filler}\n${BROKEN}\n${filler}`;

test("[WP120, WP123, WP141, WP149, AW12] a person asks about a paragraph, takes one change of two, says why not the other, and undoes the first while typing", async () => {
  const folder = makeFolder({ "plan.md": TEXT });
  const daemon = await serveFolder(folder.root);
  const short = TEXT.replace(LONG, "Too short.").replace(BROKEN, FIXED);
  const endpoint = await scriptedEndpoint(
    says({
      text: "I shorten it. ",
      calls: [["write_document", { path: "plan.md", text: short }]],
    }),
    says({ text: "Please look at both changes." }),
    says({ text: "I leave the paragraph as it is." }),
  );
  await startAgent(folder.root, ["--openai", endpoint.url, "--model", "scripted"], {
    SPLICED_TOKEN: await tokenFor(folder.root, "bot", "**=propose"),
  });
  const page = await openPage(daemon, { to: "/doc/plan.md" });
  const drawer = page.getByRole("complementary", { name: "Threads" });
  const button = (name: string) => page.getByRole("button", { name });

  await page.locator(".cm-line", { hasText: LONG }).click();
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+End");
  await page.keyboard.press("Alt+a");
  await drawer.locator(".composer .thread-quote", { hasText: LONG }).waitFor();
  await page.keyboard.type("Make this shorter and fix the table.");
  await page.keyboard.press("Control+Enter");
  await drawer.getByText("Please look at both changes.").waitFor();
  await drawer.locator(".composer textarea:focus").waitFor();
  await drawer.locator("ins", { hasText: "Too short." }).waitFor();
  await drawer.locator("ins", { hasText: "|---|---|" }).waitFor();
  expect(folder.read("plan.md")).toBe(TEXT);

  await drawer.getByLabel("Change 1").uncheck();
  await button("Approve 1, reject the rest …").click();
  await page.keyboard.type("It has to name the reason.");
  await page.keyboard.press("Enter");
  await until("the table is fixed", () => folder.read("plan.md") === TEXT.replace(BROKEN, FIXED));
  await drawer.getByText("It has to name the reason.").waitFor();
  await drawer.locator(".chip", { hasText: "partly approved" }).waitFor();
  await drawer.getByText("The rest was rejected.").waitFor();
  await drawer.getByRole("textbox", { name: "Your message" }).fill("What now?");
  await page.keyboard.press("Control+Enter");
  await drawer.getByText("I leave the paragraph as it is.").waitFor();
  const told = JSON.stringify(endpoint.asked[2]!.body.messages);
  expect(told).toMatch(/took a part and refused the rest, because: .*It has to name the reason\./);

  await page.locator(".cm-line", { hasText: "# Plan" }).click();
  await page.keyboard.press("End");
  await page.keyboard.type(" of the");
  await drawer.getByRole("button", { name: /^Undo/ }).first().click();
  await page.locator(".cm-line", { hasText: "# Plan" }).click();
  await page.keyboard.press("End");
  await page.keyboard.type(" week");
  await until(
    "the table is as before, and the typing stays",
    () => folder.read("plan.md") === TEXT.replace("# Plan", "# Plan of the week"),
  );
  await drawer.getByRole("button", { name: "Make all changes of this answer again" }).waitFor();
});
