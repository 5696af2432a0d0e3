import {
  ErrorCode,
  type ListResourcesResult,
  McpError,
  type ReadResourceResult,
} from "@modelcontextprotocol/sdk/types.js";
import { DisconnectedError, RefusedError } from "../client/errors.ts";
import { refusalText } from "./answer-text.ts";
import type { Caller } from "./caller.ts";

const PREFIX = "spliced://doc/";
/** The template that clients fill in. */
export const TEMPLATE = `${PREFIX}{+path}`;
const PAGE_SIZE = 500;
const MOST_SUBSCRIBED = 500;
/** Code points; a resource comes whole or not at all. */
const MOST_CHARS = 1 << 20;
/** MCP's own code for a resource that is not there. */
const RESOURCE_NOT_FOUND = -32002;

/** Where changes are told of; what is told again before it went out is told once. */
export interface ResourceListener {
  updated(uri: string): void;
  listChanged(): void;
}

/** The documents as MCP resources, one each. */
export class Resources {
  readonly #caller: Caller;
  readonly #listener: ResourceListener;
  /** Subscribed URIs by the path they name. */
  readonly #subscribed = new Map<string, string>();
  #followsList = false;

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
      if (this.#followsList) announce.listChanged();
    });
  }

  /** Whoever has listed the documents is told when there are others. */
  async list(cursor: string | undefined): Promise<ListResourcesResult> {
    return asMcpErrors(async () => {
      const caller = this.#caller;
      if (!this.#followsList) {
        this.#followsList = true;
        await caller.request("subscribe", { pattern: "**" });
      }
      const { docs } = await caller.request("doc.list", {});
      const texts = docs.filter(({ kind }) => kind === "text");
      const from = cursor === undefined ? 0 : Number(cursor);
      if (!Number.isInteger(from) || from < 0) throw new McpError(ErrorCode.InvalidParams, "no such cursor");
      const resources = texts
        .slice(from, from + PAGE_SIZE)
        .map(({ path, size }) => ({ uri: uriOf(path), name: path, mimeType: mimeType(path), size }));
      return { resources, ...(from + PAGE_SIZE < texts.length && { nextCursor: String(from + PAGE_SIZE) }) };
    });
  }

  read(uri: string): Promise<ReadResourceResult> {
    return asMcpErrors(async () => {
      const { path, chars } = await this.#caller.request("doc.open", { path: pathOf(uri) });
      if (chars > MOST_CHARS)
        throw new McpError(
          ErrorCode.InvalidRequest,
          `${path} has ${chars} characters, and a resource at most ${MOST_CHARS}: read it in parts with the tool read`,
        );
      const { text } = await this.#caller.request("doc.read", { path });
      return { contents: [{ uri, mimeType: mimeType(path), text }] };
    });
  }

  subscribe(uri: string): Promise<object> {
    return asMcpErrors(async () => {
      if (this.#subscribed.size >= MOST_SUBSCRIBED)
        throw new McpError(
          ErrorCode.InvalidRequest,
          `at most ${MOST_SUBSCRIBED} resources can be subscribed to`,
        );
      const { path } = await this.#caller.request("doc.open", { path: pathOf(uri) });
      await this.#caller.request("subscribe", { path });
      this.#subscribed.set(path, uri);
      return {};
    });
  }

  unsubscribe(uri: string): Promise<object> {
    return asMcpErrors(async () => {
      for (const [path, subscribed] of this.#subscribed)
        if (subscribed === uri && this.#subscribed.delete(path))
          await this.#caller.request("unsubscribe", { path });
      return {};
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

/** @throws McpError where it names no document */
export function pathOf(uri: string): string {
  try {
    const path = uri.startsWith(PREFIX)
      ? uri.slice(PREFIX.length).split("/").map(decodeURIComponent).join("/")
      : "";
    if (path !== "") return path;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  throw new McpError(
    ErrorCode.InvalidParams,
    `resources are named ${TEMPLATE}, with each part of the path encoded`,
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

/** Refusals as MCP's errors: a resource has no other way to say why not. */
async function asMcpErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof McpError) throw error;
    if (error instanceof RefusedError)
      throw new McpError(
        MISSING.has(error.code) ? RESOURCE_NOT_FOUND : ErrorCode.InvalidParams,
        refusalText(error),
      );
    if (error instanceof DisconnectedError) throw new McpError(ErrorCode.ConnectionClosed, error.message);
    throw error;
  }
}

const MISSING = new Set(["NOT_FOUND", "DELETED"]);
