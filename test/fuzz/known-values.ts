import type { Seeded } from "../helpers/seeded.ts";
import type { Hint } from "./generate.ts";

/** Text of the hidden documents; no answer to a token that may not read them contains it. */
export const MARKER = "Zq7Marker";

/** Documents that every token may use within its level. */
export const OPEN: Readonly<Record<string, string>> = {
  "notes/a.md": "# Title\n\none\ntwo\nthree\n",
  "notes/b.md": "alpha 👩 beta\r\ngamma\r\n",
  "data.toml": 'title = "x"\n[a]\nb = 1\nc = ["d", "e"]\n\n[[list]]\nname = "n"\n',
  "data.json": '{\n  "a": {"b": 1},\n  "list": [1, 2]\n}\n',
  "data.yaml": "a:\n  b: 1\nlist:\n  - x\n  - y\n",
  "empty.md": "",
  [`${"a".repeat(18)}/long.md`]: "some line of a text\n".repeat(2_000),
};

/** Documents that only the owner may read; the second has a name that nobody can guess. */
export const HIDDEN: Readonly<Record<string, string>> = {
  "hidden/a.md": `${MARKER} one\ntwo\n`,
  [`hidden/${MARKER}/b.md`]: `${MARKER} three\n`,
};

const GUESSED = [
  "hidden/a.md",
  "hidden",
  "hidden/**",
  "HIDDEN/a.md",
  "notes/../hidden/a.md",
  "gone.md",
  "new/x.md",
];
const GLOBS = [
  "**",
  "*",
  "notes/**",
  "**/*.{md,toml}",
  "hidden/**",
  "[a-z]*",
  "!notes/**",
  "{a,b}/**",
  "**/[!h]*",
];
const TEXTS = [
  "x",
  "one",
  "One\n",
  "two\nthree\n",
  "",
  "a\r\nb\r\n",
  "👩",
  "$1$&",
  "# View\n\n- a: 1\n",
  "word ".repeat(500),
];
const REGEXES = ["o(n)e", "^t", "[a-z]+", "(?:a?){20}a{20}", "(x|y)*z", "\\b\\w+\\b", "(", "\\1"];
const PATCHES = [
  "@@ -3 +3 @@\n-one\n+ONE\n",
  "--- a/notes/a.md\n+++ b/notes/a.md\n@@ -1,5 +1,6 @@\n # Title\n \n one\n+more\n two\n three\n",
  "@@ -1 +1 @@\n-nothing like it\n+x\n",
  "@@ @@\n-two\n+2\n",
  "*** Begin Patch\n*** Update File: notes/a.md\n@@\n-two\n+2\n*** End Patch\n",
  `${"@@ -1 +1 @@\n-one\n+x\n".repeat(40)}`,
];
/** Fields of answers whose values are useful in later requests. */
const ID_FIELDS =
  /^(version|changeId|id|patch_id|base_hash|sha256|batchId|filePatchId|docId|base|session|proposal)$/;
const MOST = 64;

/** Values of earlier answers, so that later requests name existing objects. */
export class KnownValues {
  readonly #values = new Map<string, string[]>();
  readonly #random: Seeded;

  constructor(random: Seeded) {
    this.#random = random;
  }

  /** Adds the ids in an answer. */
  learn(answer: unknown): void {
    if (typeof answer !== "object" || answer === null) return;
    for (const [key, value] of Object.entries(answer))
      if (typeof value === "string" && ID_FIELDS.test(key)) this.#add(key, value);
      else this.learn(value);
  }

  /** Returns a probable value for a property of that name. */
  readonly hint: Hint = (name, { type, maximum }) => {
    const random = this.#random;
    if (random.chance(0.05)) return undefined;
    if (type === "integer") return undefined;
    switch (name) {
      case "path":
      case "docPath":
        return this.#path();
      case "to":
        return maximum !== undefined || type !== "string"
          ? undefined
          : random.pick([this.#path(), this.#one("version")]);
      case "from":
      case "since":
      case "version":
      case "document_version":
      case "snapshot_version":
        return type === "string" ? (this.#one("version") ?? "latest") : undefined;
      case "sha256":
      case "originalSha256":
        return this.#one("sha256");
      case "id":
      case "changeId":
      case "before":
      case "batchId":
      case "filePatchId":
      case "patch_id":
      case "confirm":
      case "base_hash":
      case "docId":
      case "thread":
        return (
          this.#one(name === "before" ? "changeId" : name === "confirm" ? "patch_id" : name) ??
          this.#one("id")
        );
      case "old":
      case "old_content":
      case "query":
        return random.pick([...TEXTS, ...REGEXES]);
      case "text":
      case "new":
      case "insert":
      case "content":
      case "proposed_value":
      case "updated":
      case "original":
        return type === "string" ? random.pick(TEXTS) : undefined;
      case "patch":
        return random.pick(PATCHES);
      case "pattern":
        return random.pick(GLOBS);
      case "key":
        return random.pick<unknown>([["a", "b"], ["list", 0], ["title"], ["a", "new", "deep"]]);
      case "agent":
        return type === "string" ? random.pick(["owner", "disk", "fuzz", "owner/owner"]) : undefined;
      default:
        return undefined;
    }
  };

  #path(): string {
    return this.#random.chance(0.75) ? this.#random.pick(Object.keys(OPEN)) : this.#random.pick(GUESSED);
  }

  #one(key: string): string | undefined {
    const known = this.#values.get(key);
    return known === undefined ? undefined : this.#random.pick(known);
  }

  #add(key: string, value: string): void {
    const known = this.#values.get(key) ?? [];
    this.#values.set(key, known);
    if (known.length < MOST) known.push(value);
    else known[this.#random.int(MOST)] = value;
  }
}
