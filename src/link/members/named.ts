import { Refusal } from "../../workspace/outcome/refusal.ts";
import type { Certified } from "./records.ts";

/**
 * Returns the machine that a person means by an id or a name, but never this machine itself, whose id is `self`. Several
 * machines may have one name, such as those of two folders on one computer; the refusal then lists their ids.
 */
export function namedMachine(
  present: readonly Certified[],
  self: string,
  named: string,
): Certified | Refusal {
  const others = present.filter(({ machine }) => machine !== self);
  const found = others.find(({ machine }) => machine === named);
  if (found !== undefined) return found;
  const [first, ...more] = others.filter(({ name }) => name === named);
  if (first === undefined)
    return new Refusal("NOT_FOUND", `${named} is no other machine of this workspace`, {
      suggestion: "Call machine.list for the machines and their ids.",
    });
  if (more.length === 0) return first;
  const ids = [first, ...more].map(({ machine }) => machine);
  return new Refusal("INVALID_ARGUMENT", `${ids.length} other machines have the name ${named}`, {
    suggestion: `Give the id of one of them: ${ids.join(", ")}.`,
  });
}
