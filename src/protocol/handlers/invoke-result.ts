import type { RefusedEdit } from "../../workspace/edits/request.ts";
import { Refusal } from "../../workspace/outcome/refusal.ts";
import { wireDetails } from "../base/errors.ts";
import type { Result } from "../schemas/schemas.ts";
import type { Service } from "../service/service.ts";

type InvokeResult = Result<"batch.apply">;
type InvokeError = InvokeResult["errors"][number];

/** True for a method whose refusals are results and not errors. */
export function refusesInResult(method: string): boolean {
  return method === "batch.apply";
}

/** Combines several reasons into one refusal: the first, with all of them in its details. */
export function combinedRefusal(refused: readonly RefusedEdit[], docPaths: readonly string[]): Refusal {
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

/**
 * Returns the result for a refused batch, with every reason. The log gets them without their messages, which
 * quote text.
 */
export function failedBatch(service: Service, refusal: Refusal, params: unknown): InvokeResult {
  const errors = (refusal.details["errors"] as InvokeError[] | undefined) ?? errorsOf(refusal, params);
  const reasons = errors.map(({ code, docPath, fileIndex, changeIndex }) => {
    return { code, docPath, fileIndex, changeIndex };
  });
  service.log("info", "batch.refused", { errors: reasons });
  return { successful: false, errors };
}

/** Returns one error for each invalid parameter, with the file and the change that contain it. */
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

interface ErrorPlace {
  readonly message: string;
  readonly index?: number | undefined;
  readonly docPath?: string | undefined;
  readonly change?: unknown;
}

function errorOf(
  { code, suggestion, details }: Refusal,
  { message, index, docPath, change }: ErrorPlace,
): InvokeError {
  return {
    code,
    message: docPath === undefined || message.includes(docPath) ? message : `${docPath}: ${message}`,
    ...(docPath !== undefined && { docPath }),
    ...(index !== undefined && { fileIndex: index }),
    ...(typeof change === "number" && { changeIndex: change }),
    ...(suggestion !== undefined && { suggestion }),
    ...(Object.keys(details).length > 0 && { details: wireDetails(details) }),
  };
}

/** Returns a file's `docPath` in parameters that are not checked. */
function docPathAt(params: unknown, index: number): string | undefined {
  const files = (params as { readonly files?: unknown } | undefined)?.files;
  const file: unknown = Array.isArray(files) ? files[index] : undefined;
  const docPath = (file as { readonly docPath?: unknown } | null | undefined)?.docPath;
  return typeof docPath === "string" ? docPath.slice(0, LONGEST_PATH) : undefined;
}

/** Longest part of an invalid path that an error quotes, in UTF-16 units. */
const LONGEST_PATH = 200;
