import type { Params, Result } from "../protocol/schemas/schemas.ts";
import { REPEATS, type Request } from "./repeats.ts";

type Call<M extends Request> =
  Record<never, never> extends Params<M>
    ? (params?: Params<M>) => Promise<Result<M>>
    : (params: Params<M>) => Promise<Result<M>>;

type Head<M> = M extends `${infer H}.${string}` ? H : M;

/** The protocol's methods as functions, nested by the dots in their names: `doc.read` is `.doc.read(params)`. */
export type Methods = {
  readonly [H in Head<Request>]: H extends Request
    ? Call<H>
    : { readonly [M in Request as M extends `${H}.${infer T}` ? T : never]: Call<M> };
};

/** Returns an object with a function for each method; every one delegates to `call`. */
export function methodsOf(call: (method: string, params: object) => Promise<unknown>): Methods {
  const methods: Record<string, unknown> = {};
  for (const method of Object.keys(REPEATS)) {
    const [head, tail] = method.split(".") as [string, string?];
    const invoke = (params: object = {}) => call(method, params);
    if (tail === undefined) methods[head] = invoke;
    else methods[head] = { ...(methods[head] as object | undefined), [tail]: invoke };
  }
  return methods as Methods;
}
