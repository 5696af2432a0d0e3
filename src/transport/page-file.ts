/** An encoding of the page's files for transfer, the best one first. */
export const ENCODINGS = ["br", "gzip"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A file of the review page. */
export interface PageFile {
  readonly type: string;
  readonly body: Uint8Array;
  /** The body in other encodings, as the build made it. */
  readonly encoded: Readonly<Partial<Record<Encoding, Uint8Array>>>;
  /** The entity tag of the unencoded body, without quotes. */
  readonly tag: string;
  /** True when the file's name depends on its content, so it never changes. */
  readonly immutable: boolean;
}

/** The form of a file that a browser gets. */
interface SentFile {
  /** 304 if the browser has this form already. */
  readonly status: 200 | 304;
  readonly body?: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the form of a file for a browser that sends these headers. */
export function sentForm(
  { body, encoded, tag, immutable }: PageFile,
  asked: { readonly "accept-encoding"?: string | undefined; readonly "if-none-match"?: string | undefined },
): SentFile {
  const accepts = acceptedEncodings(asked["accept-encoding"] ?? "");
  const encoding = ENCODINGS.find((name) => accepts.has(name) && encoded[name] !== undefined);
  const etag = `"${encoding === undefined ? tag : `${tag}-${encoding}`}"`;
  const headers = {
    etag,
    "cache-control": immutable ? "public, max-age=31536000, immutable" : "no-cache",
    vary: "accept-encoding",
  };
  if (tagsIn(asked["if-none-match"] ?? "").includes(etag)) return { status: 304, headers };
  if (encoding === undefined) return { status: 200, body, headers };
  return { status: 200, body: encoded[encoding]!, headers: { ...headers, "content-encoding": encoding } };
}

/** Returns the encodings of an `accept-encoding` header whose weight is not 0. */
function acceptedEncodings(header: string): ReadonlySet<string> {
  const each = header.split(",").map((part) => part.trim().toLowerCase().split(";"));
  return new Set(each.flatMap(([name = "", weight]) => (isZero(weight) ? [] : name.trim())));
}

function isZero(weight: string | undefined): boolean {
  return weight !== undefined && Number(weight.replace(/^\s*q=/, "")) === 0;
}

/** Returns the tags of an `if-none-match` header; a weak tag names the same form here. */
function tagsIn(header: string): string[] {
  return header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
}
