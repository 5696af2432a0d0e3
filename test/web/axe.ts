import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";

/** The checks of axe that every view passes. */
export const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The checks whose result depends on the theme. */
export const COLOUR_RULES = axe
  .getRules(RULES)
  .filter(({ tags }) => tags.includes("cat.color"))
  .map(({ ruleId }) => ruleId);

/** Loads axe into the page. */
export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(axe.source);
}

/** Returns what axe, which the page has loaded, finds in the shown page, one line each. */
export async function violations(page: Page, rules: readonly string[]): Promise<string[]> {
  const options = { runOnly: rules, resultTypes: ["violations"] };
  const { violations: found } = await page.evaluate<AxeResults>(
    `axe.run(document, ${JSON.stringify(options)})`,
  );
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

/** Switches the device between light and dark; without motion, no colour stays between both for a moment. */
export async function showIn(page: Page, theme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  await page.locator(`html[data-theme="${theme}"]`).waitFor({ state: "attached" });
}
