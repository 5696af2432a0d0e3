import MarkdownIt, { type Token } from "markdown-it";

const TAGS = [
  ...["p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "li", "pre", "code", "hr"],
  ...["table", "thead", "tbody", "tr", "th", "td", "strong", "em", "s"],
] as const;

/** A part of an answer that is shown as Markdown. */
export type Prose = string | ProseElement;

export type ProseElement = { readonly parts: readonly Prose[] } & (
  | { readonly tag: (typeof TAGS)[number] }
  /** `start` is the number of the first item. */
  | { readonly tag: "ol"; readonly start: number }
  | { readonly tag: "a"; readonly href: string }
);

/** Length in characters from which an answer is shown as plain text. */
const LONG = 50_000;
/** Most elements inside one another in an answer. The library leaves text out from 100 on. */
const DEEPEST = 40;

const reader = new MarkdownIt({ html: false, linkify: true });
// A later definition would change an earlier part of an answer.
reader.disable("reference");
reader.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
reader.validateLink = (address) => hrefOf(address) !== undefined;

/** Reads Markdown. A text that is too long or too deep is one paragraph, as it was written. */
export function proseOf(text: string): readonly Prose[] {
  return (text.length > LONG ? undefined : partsOf(reader.parse(text, {}))) ?? [{ tag: "p", parts: [text] }];
}

/** Returns the tree of the library's tokens; undefined for one that is too deep. */
function partsOf(tokens: readonly Token[]): readonly Prose[] | undefined {
  const top: Prose[] = [];
  const open = [{ parts: top, href: undefined as string | undefined }];
  for (const token of tokens.flatMap((one) => (one.type === "inline" ? (one.children ?? []) : one))) {
    if (token.nesting === -1) {
      const { parts, href } = open.pop()!;
      if (href !== undefined && parts.length === 0) parts.push(href);
    } else {
      const parts: Prose[] = [];
      const isInLink = open.some(({ href }) => href !== undefined);
      const part = token.type === "image" && isInLink ? token.content : elementOf(token, parts);
      add(open.at(-1)!.parts, part);
      const href = typeof part !== "string" && part.tag === "a" ? part.href : undefined;
      if (token.nesting === 1) open.push({ parts, href });
    }
    if (open.length > DEEPEST) return undefined;
  }
  return top;
}

function elementOf(token: Token, parts: Prose[]): Prose {
  switch (token.type) {
    case "softbreak":
    case "hardbreak":
      return "\n";
    case "fence":
    case "code_block":
      return { tag: "pre", parts: [{ tag: "code", parts: [token.content.replace(/\n$/, "")] }] };
    case "code_inline":
      return { tag: "code", parts: [token.content] };
    case "image": {
      // An image is a link to it: showing it would load it.
      const href = hrefOf(String(token.attrGet("src")))!;
      return { tag: "a", href, parts: [token.content || href] };
    }
    case "link_open":
      return { tag: "a", href: hrefOf(String(token.attrGet("href")))!, parts };
    case "ordered_list_open":
      return { tag: "ol", start: Number(token.attrGet("start") ?? 1), parts };
  }
  const tag = TAGS.find((one) => one === token.tag);
  return tag === undefined ? token.content : { tag, parts };
}

/** Adds a part, and joins it with a text before it. */
function add(parts: Prose[], part: Prose): void {
  const last = parts.at(-1);
  if (typeof part === "string" && typeof last === "string") parts[parts.length - 1] = last + part;
  else if (part !== "") parts.push(part);
}

/** Returns the address of a link to http or https; undefined for any other. */
function hrefOf(address: string): string | undefined {
  return /^https?:\/\/\S/i.test(address) && URL.canParse(address) ? new URL(address).href : undefined;
}
