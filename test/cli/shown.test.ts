import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  rememberPreview,
  rememberProposals,
  shownPreviews,
  shownVersions,
} from "../../src/cli/proposals/shown.ts";

function workspace(): string {
  const root = mkdtempSync(join(tmpdir(), "spliced-shown-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, ".spliced"));
  return root;
}

test.each(["", "[{", "{}", "null", "[null, 1]"])(
  "[TM51] a damaged file (%j) of what the terminal showed fails no command",
  (text) => {
    const root = workspace();
    writeFileSync(join(root, ".spliced", "shown-proposals.json"), text);
    expect(shownVersions(root, "prop_1")).toBeUndefined();
    rememberProposals(root, [{ id: "prop_1", versions: { "a.md": "1" } }]);
    expect(shownVersions(root, "prop_1")).toEqual({ "a.md": "1" });
  },
);

test("[TM51] where nothing can be stored, a command says so and is done all the same", () => {
  const root = workspace();
  rmSync(join(root, ".spliced"), { recursive: true });
  const remarks = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => remarks.mockRestore());
  rememberPreview(root, { patch_id: "pat_1", base_hash: "00" });
  expect(remarks).toHaveBeenCalledWith(expect.stringMatching(/previews .* are not remembered: ENOENT/));
  expect(shownPreviews(root)).toEqual([]);
});
