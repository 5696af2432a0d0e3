import { stringifyExactly } from "../text/exact-json.ts";
import { type Outcome, Refusal } from "../workspace/outcome/refusal.ts";
import type { Method } from "./schemas.ts";

type Given = Readonly<Record<string, unknown>>;

/** Other names of a method's parameters, which the requirements of clients use. */
const NAMES: Partial<Record<Method, Readonly<Record<string, string>>>> = {
  "edit.patch": { target_file: "path", diff: "patch" },
  "edit.legacy": { target_file: "path" },
  "proposal.create": {
    target_file: "path",
    block: "path",
    block_label: "path",
    diff: "patch",
    strategy: "operation",
    content: "proposed_value",
  },
};

/** Parameters that may say once more what the method does. */
const SAID: Partial<Record<Method, Given>> = { "edit.patch": { op: "patch" } };

/** Returns the parameters under their own names. Two names of one parameter must say the same. */
export function withOwnNames(method: Method, params: unknown): Outcome<unknown> {
  const names = NAMES[method];
  if (names === undefined || typeof params !== "object" || params === null) return params;
  const own: Record<string, unknown> = { ...params };
  for (const [other, name] of Object.entries(names)) {
    const refused = renamed(own, other, name);
    if (refused !== undefined) return refused;
  }
  for (const [name, value] of Object.entries(SAID[method] ?? {})) {
    if (own[name] !== undefined && own[name] !== value)
      return contrary(
        `${name} is ${stringifyExactly(own[name])}, and ${method} takes ${JSON.stringify(value)}`,
      );
    delete own[name];
  }
  return own;
}

function renamed(params: Record<string, unknown>, other: string, name: string): Refusal | undefined {
  if (!Object.hasOwn(params, other)) return undefined;
  const { [other]: value } = params;
  delete params[other];
  if (Object.hasOwn(params, name) && params[name] !== value)
    return contrary(`${other} and ${name} are two names of one parameter, and say different things`);
  params[name] = value;
  return undefined;
}

function contrary(problem: string): Refusal {
  return new Refusal("INVALID_ARGUMENT", problem, { suggestion: "Send one of them." });
}
