/** Every way a request can be refused; the names are the wire's. */
export const REFUSAL_CODES = [
  "UNAUTHENTICATED",
  "PERMISSION_DENIED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "DELETED",
  "INVALID_ARGUMENT",
  "INVALID_POSITION",
  "PATH_ESCAPE",
  "NOT_TEXT",
  "TOO_LARGE",
  "NO_MATCH",
  "AMBIGUOUS_MATCH",
  "PATCH_REJECTED",
  "STALE_VERSION",
  "CONFLICT",
  "CONFIRMATION_REQUIRED",
  "STORAGE_FULL",
  "MIRROR_BLOCKED",
  "OVERLOADED",
  "INTERNAL",
] as const;

export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** Those that mean: what an agent took a document for is not what it is. */
export const REJECTIONS = [
  "INVALID_POSITION",
  "NO_MATCH",
  "AMBIGUOUS_MATCH",
  "PATCH_REJECTED",
  "STALE_VERSION",
  "CONFLICT",
] as const satisfies readonly RefusalCode[];

export type Rejection = (typeof REJECTIONS)[number];

export function isRejection(code: RefusalCode): code is Rejection {
  return (REJECTIONS as readonly RefusalCode[]).includes(code);
}

/**
 * An expected failure, returned and never thrown. The message says what was expected and what is there, the
 * suggestion what to do next; both are read by models as much as by people.
 */
export class Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly suggestion: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: RefusalCode,
    message: string,
    options: { suggestion?: string; details?: Record<string, unknown> } = {},
  ) {
    this.code = code;
    this.message = message;
    this.suggestion = options.suggestion;
    this.details = options.details ?? {};
  }
}

export type Outcome<T> = T | Refusal;

export function isRefusal(value: unknown): value is Refusal {
  return value instanceof Refusal;
}
