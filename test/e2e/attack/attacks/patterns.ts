import { type Attack, MB, request } from "../attack.ts";

const letters = () => ({ [`${"a".repeat(42)}`]: "a\n" });
const long = (scaled: (full: number) => number) => ({ "long.md": `${"a".repeat(scaled(MB))}\n` });
const replace = { path: "long.md", regex: true, occurrence: "all" };

/** Globs and regular expressions that are made to be slow. */
export const patterns: readonly Attack[] = [
  request("glob-nested", "read", "doc.list", () => ({ pattern: "([a-z/.]+)+X" }), letters),
  request("glob-subscribed", "read", "subscribe", () => ({ pattern: "([a-z/.]+)+X" }), letters),
  request("glob-classes", "read", "doc.list", () => ({ pattern: `${"[a-z]+".repeat(100)}X` }), letters),
  request(
    "regex-steps",
    "propose",
    "edit.replace",
    () => ({ ...replace, old: "(?:a?){500}a{500}", new: "b" }),
    long,
  ),
  request(
    "regex-branches",
    "propose",
    "edit.replace",
    (scaled) => ({ ...replace, old: Array.from({ length: scaled(MB) }, () => "(a|b)").join(""), new: "x" }),
    long,
  ),
  request(
    "regex-multiplies",
    "propose",
    "edit.replace",
    (scaled) => ({ ...replace, old: "ab", new: "x".repeat(scaled(100_000)) }),
    () => ({ "long.md": "ab".repeat(50_000) }),
  ),
  request(
    "regex-refers",
    "propose",
    "edit.replace",
    (scaled) => ({ ...replace, old: "(?s).*", new: "$&".repeat(scaled(100_000)) }),
    long,
  ),
];
