import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import { DisconnectedError, RefusedError } from "../client/errors.ts";
import { refusalText } from "./answer-text.ts";
import type { Caller } from "./caller.ts";
import type { ListenFilter } from "./envelope.ts";

const PREFIX = "spliced://doc/";
/** The URI template of a resource. */
export const TEMPLATE = `${PREFIX}{+path}`;
/** Resources on one page of a list. */
const PAGE_SIZE = 500;
const MOST_SUBSCRIBED = 500;
/** Most code points of a resource, as a resource cannot be read in parts. */
const MOST_CHARS = 1 << 20;

/** Receives changes of resources. */
export interface ResourceListener {
  updated(uri: string): void;
  listChanged(): void;
}

/** The text documents as MCP resources. */
export class Resources {
  readonly #caller: Caller;
  readonly #listener: ResourceListener;
  /** Subscribed URIs by the path they name. */
  readonly #subscribed = new Map<string, string>();
  #listIsSubscribed = false;

  constructor(caller: Caller, announce: ResourceListener) {
    this.#caller = caller;
    this.#listener = announce;
    caller.on("doc.changed", ({ path }) => this.#changed(path));
    caller.on("doc.deleted", ({ path }) => {
      this.#changed(path);
      announce.listChanged();
    });
    caller.on("doc.created", () => announce.listChanged());
    caller.on("doc.renamed", ({ path, to }) => {
      const uri = this.#subscribed.get(path);
      if (uri !== undefined && this.#subscribed.delete(path)) this.#subscribed.set(to, uri);
      this.#changed(to);
      announce.listChanged();
    });
    caller.on("resync", ({ paths }) => {
      for (const path of paths) this.#changed(path);
      if (this.#listIsSubscribed) announce.listChanged();
    });
  }

  /** Lists the text documents. */
  async list(cursor: string | undefined): Promise<ListResourcesResult> {
    return asProtocolErrors(async () => {
      const caller = this.#caller;
      const { docs } = await caller.request("doc.list", {});
      const texts = docs.filter(({ kind }) => kind === "text");
      const from = cursor === undefined ? 0 : Number(cursor);
      if (!Number.isInteger(from) || from < 0)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          "The cursor is invalid. List the resources from the beginning.",
        );
      const resources = texts
        .slice(from, from + PAGE_SIZE)
        .map(({ path, size }) => ({ uri: uriOf(path), name: path, mimeType: mimeType(path), size }));
      return { resources, ...(from + PAGE_SIZE < texts.length && { nextCursor: String(from + PAGE_SIZE) }) };
    });
  }

  read(uri: string): Promise<ReadResourceResult> {
    return asProtocolErrors(async () => {
      const { path, chars } = await this.#caller.request("doc.open", { path: pathOf(uri) });
      if (chars > MOST_CHARS)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidRequest,
          `${path} has ${chars} characters; the limit of a resource is ${MOST_CHARS}. Read it in parts with read_document.`,
        );
      const { text } = await this.#caller.request("doc.read", { path });
      return { contents: [{ uri, mimeType: mimeType(path), text }] };
    }, uri);
  }

  /** Subscribes to the resources that the filter names. A resource that does not exist is left out. */
  async listen({ resourcesListChanged, resourceSubscriptions = [] }: ListenFilter): Promise<void> {
    if (resourcesListChanged === true && !this.#listIsSubscribed) {
      await this.#caller.request("subscribe", { pattern: "**" });
      this.#listIsSubscribed = true;
    }
    for (const uri of resourceSubscriptions)
      await this.subscribe(uri).catch((error: unknown) => {
        if (!(error instanceof ProtocolError)) throw error;
      });
  }

  subscribe(uri: string): Promise<void> {
    return asProtocolErrors(async () => {
      if (this.#subscribed.size >= MOST_SUBSCRIBED)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidRequest,
          `The limit is ${MOST_SUBSCRIBED} subscribed resources. Unsubscribe from one first.`,
        );
      const { path } = await this.#caller.request("doc.open", { path: pathOf(uri) });
      await this.#caller.request("subscribe", { path });
      this.#subscribed.set(path, uri);
    }, uri);
  }

  unsubscribe(uri: string): Promise<void> {
    return asProtocolErrors(async () => {
      for (const [path, subscribed] of this.#subscribed)
        if (subscribed === uri && this.#subscribed.delete(path))
          await this.#caller.request("unsubscribe", { path });
    });
  }

  #changed(path: string): void {
    const uri = this.#subscribed.get(path);
    if (uri !== undefined) this.#listener.updated(uri);
  }
}

export function uriOf(path: string): string {
  return PREFIX + path.split("/").map(encodeURIComponent).join("/");
}

/** Returns the path that a URI names. @throws ResourceNotFoundError if the URI is not one of a document */
export function pathOf(uri: string): string {
  try {
    const path = uri.startsWith(PREFIX)
      ? uri.slice(PREFIX.length).split("/").map(decodeURIComponent).join("/")
      : "";
    if (path !== "") return path;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  throw new ResourceNotFoundError(
    uri,
    `The URI of a resource is ${TEMPLATE}, with each part of the path percent-encoded.`,
  );
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  md: "text/markdown",
  html: "text/html",
  css: "text/css",
  csv: "text/csv",
  json: "application/json",
  yaml: "application/yaml",
  yml: "application/yaml",
  toml: "application/toml",
};

function mimeType(path: string): string {
  return MIME_TYPES[path.slice(path.lastIndexOf(".") + 1).toLowerCase()] ?? "text/plain";
}

/** Runs `work` and throws its refusals as errors of MCP, which a request for a resource needs. */
async function asProtocolErrors<T>(work: () => Promise<T>, uri?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (error instanceof RefusedError && uri !== undefined && MISSING.has(error.code))
      throw new ResourceNotFoundError(uri, refusalText(error));
    if (error instanceof RefusedError)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, refusalText(error));
    if (error instanceof DisconnectedError)
      throw new ProtocolError(ProtocolErrorCode.InternalError, error.message);
    throw error;
  }
}

const MISSING = new Set(["NOT_FOUND", "DELETED"]);
