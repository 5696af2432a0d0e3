import type { RefusedEdit } from "../workspace/edits/request.ts";
import { Refusal } from "../workspace/outcome/refusal.ts";
import type { Result } from "./schemas.ts";
import type { Service } from "./service.ts";

type InvokeResult = Result<"batch.apply">;
type InvokeError = InvokeResult["errors"][number];

/** Methods that tell of what they cannot do as a result, and not as an error. */
export function isEnveloped(method: string): boolean {
  return method === "batch.apply";
}

/** Several reasons as one refusal: the first, with all of them in its details. */
export function declined(refused: readonly RefusedEdit[], docPaths: readonly string[]): Refusal {
  const { code, message, suggestion, details } = refused[0]!.refusal;
  const errors = refused.map(({ index, refusal }) => {
    const docPath = index === undefined ? undefined : docPaths[index];
    return errorOf(refusal, { message: refusal.message, index, docPath, change: refusal.details["change"] });
  });
  return new Refusal(code, errors[0]!.message ?? message, {
    ...(suggestion !== undefined && { suggestion }),
    details: { ...details, errors },
  });
}

/** The envelope of a request that did nothing, with every reason. The log has all but what the messages quote. */
export function failure(service: Service, refusal: Refusal, params: unknown): InvokeResult {
  const errors = (refusal.details["errors"] as InvokeError[] | undefined) ?? errorsOf(refusal, params);
  const reasons = errors.map(({ code, docPath, fileIndex, changeIndex }) => {
    return { code, docPath, fileIndex, changeIndex };
  });
  service.log("info", "batch.refused", { errors: reasons });
  return { successful: false, errors };
}

/** Of parameters that are not accepted: one error for each, which says of which file and change it is. */
function errorsOf(refusal: Refusal, params: unknown): InvokeError[] {
  const { problems } = refusal.details as { problems?: readonly { at: string; message: string }[] };
  if (problems === undefined) return [errorOf(refusal, { message: refusal.message })];
  return problems.map(({ at, message }) => {
    const [, file, change] = /^files\.(\d+)(?:\.changes\.(\d+))?/.exec(at) ?? [];
    const index = file === undefined ? undefined : Number(file);
    return errorOf(new Refusal(refusal.code, message), {
      message: at === "" ? message : `${at}: ${message}`,
      index,
      docPath: index === undefined ? undefined : docPathAt(params, index),
      change: change === undefined ? undefined : Number(change),
    });
  });
}

interface Where {
  readonly message: string;
  readonly index?: number | undefined;
  readonly docPath?: string | undefined;
  readonly change?: unknown;
}

function errorOf(
  { code, suggestion, details }: Refusal,
  { message, index, docPath, change }: Where,
): InvokeError {
  return {
    code,
    message: docPath === undefined || message.includes(docPath) ? message : `${docPath}: ${message}`,
    ...(docPath !== undefined && { docPath }),
    ...(index !== undefined && { fileIndex: index }),
    ...(typeof change === "number" && { changeIndex: change }),
    ...(suggestion !== undefined && { suggestion }),
    ...(Object.keys(details).length > 0 && { details }),
  };
}

/** What a request that may be anything calls one of its files. */
function docPathAt(params: unknown, index: number): string | undefined {
  const files = (params as { readonly files?: unknown } | undefined)?.files;
  const file: unknown = Array.isArray(files) ? files[index] : undefined;
  const docPath = (file as { readonly docPath?: unknown } | null | undefined)?.docPath;
  return typeof docPath === "string" ? docPath.slice(0, LONGEST_PATH) : undefined;
}

/** One that no document can have may be as long as a message. */
const LONGEST_PATH = 200;
