import type { Refused } from "../workspace/prepare.ts";
import type { Refusal } from "../workspace/refusal.ts";
import type { Result } from "./schemas.ts";
import type { Service } from "./service.ts";

type InvokeResult = Result<"batch.apply">;
type InvokeError = InvokeResult["errors"][number];

/** Methods that tell of what they cannot do as a result, and not as an error. */
export function isEnveloped(method: string): boolean {
  return method === "batch.apply";
}

/** The envelope of a request that did nothing, with every reason; the log has all but what the messages quote. */
export function failure(service: Service, refused: readonly Refused[], params: unknown): InvokeResult {
  const errors = refused.flatMap((one) => errorsOf(one, params));
  service.log("info", "batch.refused", {
    errors: errors.map(({ code, docPath, fileIndex, changeIndex }) => ({
      code,
      docPath,
      fileIndex,
      changeIndex,
    })),
  });
  return { successful: false, errors };
}

function errorsOf({ index, refusal }: Refused, params: unknown): InvokeError[] {
  const { problems, ...details } = refusal.details;
  if (!Array.isArray(problems))
    return [errorOf(refusal, refusal.message, details, index, details["change"], params)];
  // One error for each parameter that is wrong; where it is says which file and which change.
  return (problems as { at: string; message: string }[]).map(({ at, message }) => {
    const [, file, change] = /^files\.(\d+)(?:\.changes\.(\d+))?/.exec(at) ?? [];
    const said = at === "" ? message : `${at}: ${message}`;
    return errorOf(refusal, said, details, numberOf(file), numberOf(change), params);
  });
}

function errorOf(
  { code, suggestion }: Refusal,
  message: string,
  details: Readonly<Record<string, unknown>>,
  fileIndex: number | undefined,
  changeIndex: unknown,
  params: unknown,
): InvokeError {
  const docPath = fileIndex === undefined ? undefined : docPathAt(params, fileIndex);
  return {
    code,
    message: docPath === undefined || message.includes(docPath) ? message : `${docPath}: ${message}`,
    ...(docPath !== undefined && { docPath }),
    ...(fileIndex !== undefined && { fileIndex }),
    ...(typeof changeIndex === "number" && { changeIndex }),
    ...(suggestion !== undefined && { suggestion }),
    ...(Object.keys(details).length > 0 && { details }),
  };
}

/** What a request that may be anything calls one of its files. */
function docPathAt(params: unknown, index: number): string | undefined {
  const files = (params as { readonly files?: unknown } | undefined)?.files;
  const file: unknown = Array.isArray(files) ? files[index] : undefined;
  const docPath = (file as { readonly docPath?: unknown } | null | undefined)?.docPath;
  return typeof docPath === "string" ? docPath.slice(0, 200) : undefined;
}

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}
