import { type Attack, type Ground, MB, request } from "../attack.ts";

const letters = () => ({ [`${"a".repeat(42)}`]: "a\n" });
const long = ({ scaled }: Ground) => ({ "long.md": `${"a".repeat(scaled(MB))}\n` });
const replace = ({ at }: Ground) => ({ path: at("long.md"), regex: true, occurrence: "all" });

/** Globs and regular expressions that are made to be slow. */
export const patterns: readonly Attack[] = [
  request("glob-nested", "read", "doc.list", () => ({ pattern: "([a-z/.-]+)+X" }), letters),
  request("glob-subscribed", "read", "subscribe", () => ({ pattern: "([a-z/.-]+)+X" }), letters),
  request("glob-classes", "read", "doc.list", () => ({ pattern: `${"[a-z]+".repeat(100)}X` }), letters),
  request(
    "regex-steps",
    "propose",
    "edit.replace",
    (ground) => ({ ...replace(ground), old: "(?:a?){500}a{500}", new: "b" }),
    long,
  ),
  request(
    "regex-branches",
    "write",
    "edit.replace",
    (ground) => ({
      ...replace(ground),
      old: Array.from({ length: ground.scaled(MB) }, () => "(a|b)").join(""),
      new: "x",
    }),
    long,
  ),
  request(
    "regex-multiplies",
    "propose",
    "edit.replace",
    (ground) => ({ ...replace(ground), old: "ab", new: "x".repeat(ground.scaled(100_000)) }),
    () => ({ "long.md": "ab".repeat(50_000) }),
  ),
  request(
    "regex-refers",
    "propose",
    "edit.replace",
    (ground) => ({ ...replace(ground), old: "(?s).*", new: "$&".repeat(ground.scaled(100_000)) }),
    long,
  ),
];
