import { Refusal } from "../workspace/outcome/refusal.ts";

/** Returns the refusal for invalid parameters; its `problems` name each place and reason. */
export function invalidParams(
  method: string,
  error: { readonly issues: readonly { readonly path: PropertyKey[]; readonly message: string }[] },
): Refusal {
  const problems = error.issues
    .slice(0, 5)
    .map(({ path, message }) => ({ at: path.map(String).join("."), message }));
  const summary = problems.map(({ at, message }) => (at === "" ? message : `${at}: ${message}`)).join("; ");
  return new Refusal("INVALID_ARGUMENT", `${method}: ${summary}`, {
    suggestion: "See docs/protocol.md for the parameters.",
    details: { problems },
  });
}
