import { LoroDoc } from "loro-crdt";

// Holds two Loro documents with the text from standard input for each of `count` files.
// Usage: loro-docs.js <count> < text
const count = Number(process.argv[2]);
process.stdin.once("data", (text) => {
  const held = Array.from({ length: 2 * count }, () => {
    const doc = new LoroDoc();
    doc.getText("content").insert(0, text.toString());
    doc.commit();
    return doc;
  });
  process.stdout.write(`${held.length}\n`);
});
process.stdin.resume();
