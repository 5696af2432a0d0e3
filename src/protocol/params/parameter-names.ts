import { stringifyExactly } from "../../text/exact-json.ts";
import { type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";
import type { Method } from "../schemas/schemas.ts";

type Given = Readonly<Record<string, unknown>>;

/** Other names of parameters, which the requirements of clients use. */
export interface OtherNames {
  /** The parameter's own name by its other name. */
  readonly names: Readonly<Record<string, string>>;
  /** The parameters that may repeat the method's operation. */
  readonly said?: Given;
}

/** The parameters that may name the base of an edit. */
export const BASE_PARAMETERS: readonly string[] = [
  "version",
  "sha256",
  "originalSha256",
  "document_version",
  "snapshot_version",
  "document_digest",
];

const TARGET = { target_file: "path", block: "path", block_label: "path" };
const SAID = { op: "patch", action: "patch" };

export const PATCH_NAMES: OtherNames = { names: { ...TARGET, diff: "patch" }, said: SAID };
export const PROPOSAL_NAMES: OtherNames = { names: { ...TARGET, diff: "patch" } };

const OTHERS: Partial<Record<Method, OtherNames>> = {
  "edit.patch": PATCH_NAMES,
  "edit.legacy": { names: { ...TARGET, action: "op" } },
  "proposal.create": {
    names: { ...PROPOSAL_NAMES.names, strategy: "operation", content: "proposed_value" },
  },
};

/** Parameters under their own names, or why they have none. */
type Named = { readonly own: unknown } | { readonly contrary: string };

/** Returns the parameters of a method under their own names. Two names of one parameter must have the same value. */
export function withOwnNames(method: Method, params: unknown): Outcome<unknown> {
  const others = OTHERS[method];
  const named = others === undefined ? { own: params } : inOwnNames(others, method, params);
  if ("own" in named) return named.own;
  return new Refusal("INVALID_ARGUMENT", named.contrary, { suggestion: "Send one of them." });
}

/** Returns parameters under their own names; `what` is the method or tool, for refusals. */
export function inOwnNames({ names, said = {} }: OtherNames, what: string, params: unknown): Named {
  if (typeof params !== "object" || params === null) return { own: params };
  const own: Record<string, unknown> = { ...params };
  for (const [other, name] of Object.entries(names)) {
    if (!Object.hasOwn(own, other)) continue;
    const { [other]: value } = own;
    delete own[other];
    if (value === null) continue; // counts as left out
    if ((own[name] ?? value) !== value)
      return { contrary: `${other} and ${name} are two names of one parameter, and say different things` };
    own[name] = value;
  }
  for (const [name, value] of Object.entries(said)) {
    if ((own[name] ?? value) !== value)
      return {
        contrary: `${name} is ${stringifyExactly(own[name])}, and ${what} takes ${JSON.stringify(value)}`,
      };
    delete own[name];
  }
  return { own };
}
