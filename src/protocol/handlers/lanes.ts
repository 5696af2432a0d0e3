import { isAbsolute } from "node:path";
import type { Lanes } from "../../lanes/lanes.ts";
import type { ShownLane } from "../../lanes/waiting.ts";
import { isRefusal, type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";
import type { lanes as schemas } from "../schemas/lanes.ts";
import type { Result } from "../schemas/schemas.ts";
import type { Handlers } from "./handler.ts";

export const laneHandlers: Handlers<keyof typeof schemas> = {
  async "lane.add"({ lanes }, _requester, request) {
    const { folder } = request;
    if (folder !== undefined && !isAbsolute(folder))
      return new Refusal("INVALID_ARGUMENT", `${JSON.stringify(folder)} is not an absolute path`, {
        suggestion: "Give the whole path of the lane's folder, from /.",
      });
    return shown(await lanes.add(request));
  },

  async "lane.list"({ lanes }) {
    return listedLanes(lanes);
  },

  "lane.remove": async ({ lanes }, _requester, { name, force = false }) =>
    shown(await lanes.remove(name, force)),
};

/** Returns the lanes, as `lane.list` answers. */
export async function listedLanes(lanes: Pick<Lanes, "list">): Promise<Result<"lane.list">> {
  return { lanes: (await lanes.list()).map(wireLane) };
}

function shown(made: Outcome<ShownLane>): Outcome<Result<"lane.add">> {
  return isRefusal(made) ? made : wireLane(made);
}

function wireLane({ record, files, waiting, commit, problem }: ShownLane): Result<"lane.add"> {
  const { name, folder, tokenName: token, propose, createdAt, proposal } = record;
  return {
    name,
    folder,
    token,
    agent: `${token}/${name}`,
    propose,
    created_at: createdAt,
    files,
    waiting: waiting.map(({ why, ...file }) => ({ ...file, why: why ?? null })),
    proposal: proposal ?? null,
    commit: commit ?? null,
    problem: problem ?? null,
  };
}
