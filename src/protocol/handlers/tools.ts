import { isRefusal, Refusal } from "../../workspace/outcome/refusal.ts";
import { textDiff } from "../../workspace/workers/text-diff.ts";
import { openRpc } from "../reference/openrpc.ts";
import type { tools as schemas } from "../schemas/tools.ts";
import type { Handlers } from "./handler.ts";

export const toolHandlers: Handlers<keyof typeof schemas> = {
  async search({ workspace }, _requester, { query, regex, ignoreCase, pattern, limit, context, after }) {
    const page = await workspace.search({
      query: { query, regex: regex ?? false, ignoreCase: ignoreCase ?? false },
      pattern,
      limit: limit ?? 100,
      context: context ?? 0,
      after,
    });
    if (isRefusal(page)) return page;
    const { matches, tooLong, ...rest } = page;
    return {
      matches: matches.map(({ before, after, ...match }) => ({
        ...match,
        before: [...before],
        after: [...after],
      })),
      tooLong: [...tooLong],
      ...rest,
    };
  },

  "metrics.get": async ({ metrics }, { actor }) => metrics.snapshot(actor.rights),

  "rpc.discover": async ({ serverVersion }) => openRpc(serverVersion),

  async "diff.build"({ workspace }, _requester, { original, updated, path, context }) {
    const { maxFileBytes } = workspace.limits;
    const bytes = Math.max(Buffer.byteLength(original), Buffer.byteLength(updated));
    if (bytes > maxFileBytes)
      return new Refusal("TOO_LARGE", `a text has ${bytes} bytes; the limit is ${maxFileBytes}`, {
        suggestion: "Send the changes with edit.replace, or the whole text with edit.write.",
      });
    const names = path === undefined ? {} : { from: `a/${path}`, to: `b/${path}` };
    const options = { ...names, context };
    const diff = await textDiff(workspace.workers, original, updated, options);
    if (isRefusal(diff)) return diff;
    return { diff, changed: diff !== "" };
  },
};
