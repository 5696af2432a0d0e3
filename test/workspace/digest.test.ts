import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Text } from "../../src/text/text.ts";
import { digestNow } from "../../src/workspace/versions/digest.ts";

test("[ED2] a version's hash is that of its bytes, wherever the versions before were edited", () => {
  const edits = fc.array(
    fc.record({
      at: fc.nat(),
      size: fc.nat(9000),
      insert: fc.constantFrom("", "é", "\u{1f600}\n", "x".repeat(9000)),
    }),
    { minLength: 1, maxLength: 12 },
  );
  fc.assert(
    fc.property(edits, fc.boolean(), (given, bom) => {
      let text = Text.of("one two three\n".repeat(4000));
      for (const { at, size, insert } of given) {
        const from = at % (text.chars + 1);
        const after = text.splice([{ from, to: Math.min(text.chars, from + size), insert }]);
        const bytes = Buffer.from((bom ? "\ufeff" : "") + after.toString());
        expect(digestNow({ bom, text: after }, text)).toBe(createHash("sha256").update(bytes).digest("hex"));
        text = after;
      }
    }),
  );
});
