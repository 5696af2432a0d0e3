import { quoteUnknown } from "../text/nearest-name.ts";
import { Refusal } from "../workspace/outcome/refusal.ts";
import { type Issue, inOneLine, problemsOf } from "./problems.ts";
import { type Method, methods } from "./schemas.ts";

/** Returns the refusal for invalid parameters; its `problems` name each place and reason. */
export function invalidParams(method: Method, error: { readonly issues: readonly Issue[] }): Refusal {
  const problems = problemsOf(methods[method].params, error);
  return new Refusal("INVALID_ARGUMENT", `${method}: ${inOneLine(problems)}`, {
    suggestion: "See docs/protocol.md for the parameters.",
    details: { problems },
  });
}

/** Returns the refusal for a method that is none; it names the similar one, and all. */
export function unknownMethod(method: string): Refusal {
  const names = Object.keys(methods);
  return new Refusal("INVALID_ARGUMENT", `there is no method ${quoteUnknown(method, names)}`, {
    suggestion: `The methods are: ${names.join(", ")}.`,
  });
}
