import { type Outcome, Refusal } from "../outcome/refusal.ts";

/** The syntax of a comment on a line of its own, for some kinds of files. */
interface CommentStyle {
  readonly open: string;
  /** Empty if the comment ends with its line. */
  readonly close: string;
  /** File extensions and lower-case file names, separated by spaces. */
  readonly files: string;
}

const STYLES: readonly CommentStyle[] = [
  {
    open: "#",
    close: "",
    files:
      "py pyi rb sh bash zsh fish yaml yml toml pl pm r jl ex exs nix tf conf properties cmake ps1 graphql mk env " +
      "makefile dockerfile gitignore gitattributes dockerignore editorconfig",
  },
  {
    open: "//",
    close: "",
    files:
      "js mjs cjs jsx ts mts cts tsx java c h cc cpp cxx hh hpp cs go rs swift kt kts scala dart php proto scss less " +
      "groovy gradle zig jsonc json5",
  },
  { open: "--", close: "", files: "sql lua hs elm adb ads vhd vhdl" },
  { open: ";", close: "", files: "lisp el clj cljs scm rkt asm ini" },
  { open: "%", close: "", files: "tex sty bib erl hrl" },
  { open: "<!--", close: "-->", files: "md markdown html htm xhtml xml svg vue" },
  { open: "/*", close: "*/", files: "css" },
];

const BY_NAME = new Map(STYLES.flatMap((style) => style.files.split(" ").map((name) => [name, style])));

/** Characters that end a line in some languages, or extend the comment to the next line. */
const BREAKS_OUT = /[\r\v\f\u0085\u2028\u2029]|\\$/m;

/** Returns a remark as indented comment lines for a file, without line endings. */
export function commentLines(path: string, remark: string, indent: string): Outcome<string[]> {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const style = BY_NAME.get(name.slice(name.lastIndexOf(".") + 1));
  if (style === undefined)
    return refusal(`the daemon does not know the comment syntax of ${name}`, {
      suggestion: "Write the comment yourself and insert its lines with edit.lines.",
    });
  const { open, close } = style;
  const lines = remark.replace(/\r?\n$/, "").split(/\r?\n/);
  if (close === "" ? lines.some((line) => BREAKS_OUT.test(line)) : remark.includes(close.slice(0, 2)))
    return refusal("the remark would end its comment early", {
      suggestion: `Send the remark without ${close === "" ? "control characters and without backslashes at line ends" : JSON.stringify(close.slice(0, 2))}.`,
    });
  return lines.map((line) => indent + [open, line, close].filter((part) => part !== "").join(" "));
}

function refusal(message: string, options: { suggestion: string }): Refusal {
  return new Refusal("INVALID_ARGUMENT", message, options);
}
