import { z } from "zod";
import { quoteUnknown } from "../../text/diff/nearest-name.ts";
import { Refusal } from "../../workspace/outcome/refusal.ts";
import { type Schema, variants } from "../base/json-schema.ts";
import { type Method, methods } from "../schemas/schemas.ts";
import { concernsNames, type Issue, inOneLine, problemsOf } from "./problems.ts";

/** Returns the refusal for invalid parameters; its `problems` name each place and reason. */
export function invalidParams(method: Method, error: { readonly issues: readonly Issue[] }): Refusal {
  const { params } = methods[method];
  const problems = problemsOf(params, error);
  return new Refusal("INVALID_ARGUMENT", `${method}: ${inOneLine(problems)}`, {
    suggestion: error.issues.some(concernsNames)
      ? `The parameters are ${namesOf(params)}. rpc.discover describes them.`
      : "rpc.discover describes the parameters.",
    details: { problems },
  });
}

/** Returns the names of parameters, of each form if there are several; those with ?, which may be left out, come last. */
function namesOf(params: z.ZodType): string {
  const schema = z.toJSONSchema(params, { io: "input", unrepresentable: "any" }) as Schema;
  const forms = variants(schema).map(({ properties = {}, required = [] }) =>
    [
      ...Object.keys(properties).filter((name) => required.includes(name)),
      ...Object.keys(properties)
        .filter((name) => !required.includes(name))
        .map((name) => `${name}?`),
    ].join(", "),
  );
  return forms.join("; or ") || "none";
}

/** Returns the refusal for a method that is none; it names the similar one, and all. */
export function unknownMethod(method: string): Refusal {
  const names = Object.keys(methods);
  return new Refusal("INVALID_ARGUMENT", `there is no method ${quoteUnknown(method, names)}`, {
    suggestion: `The methods are: ${names.join(", ")}.`,
  });
}
