/** The reasons for which the daemon refuses a request, as the wire names them. */
export const REFUSAL_CODES = [
  "UNAUTHENTICATED",
  "PERMISSION_DENIED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "DELETED",
  "IGNORED",
  "INVALID_ARGUMENT",
  "INVALID_POSITION",
  "PATH_ESCAPE",
  "NOT_TEXT",
  "TOO_LARGE",
  "NO_MATCH",
  "AMBIGUOUS_MATCH",
  "PATCH_REJECTED",
  "STALE_VERSION",
  "VERSION_REQUIRED",
  "CONFLICT",
  "CONFIRMATION_REQUIRED",
  "STORAGE_FULL",
  "MIRROR_BLOCKED",
  "OVERLOADED",
  "INTERNAL",
] as const;

export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** The codes that mean: the document is not as the agent expected. */
export const REJECTIONS = [
  "INVALID_POSITION",
  "NO_MATCH",
  "AMBIGUOUS_MATCH",
  "PATCH_REJECTED",
  "STALE_VERSION",
  "CONFLICT",
] as const satisfies readonly RefusalCode[];

export type Rejection = (typeof REJECTIONS)[number];

/** True if a code means that the document is not as the agent expected. */
export function isRejection(code: RefusalCode): code is Rejection {
  return (REJECTIONS as readonly RefusalCode[]).includes(code);
}

/** The codes of refusals whose cause is the present state of the store, the disk, or the daemon's work. */
const PASSING: readonly RefusalCode[] = [
  "ALREADY_EXISTS",
  "STORAGE_FULL",
  "MIRROR_BLOCKED",
  "OVERLOADED",
  "INTERNAL",
];

/** True if the daemon may accept the same request later. A refusal of the system's rights waits for a person. */
export function isPassing({ code, details }: Refusal): boolean {
  return PASSING.includes(code) && details["problem"] !== "denied";
}

/**
 * An expected failure, returned and never thrown. The message has the cause, the suggestion the next step next. People
 * and models read both. The details are for programs.
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

/** A result, or the reason why there is none. */
export type Outcome<T> = T | Refusal;

export function isRefusal(value: unknown): value is Refusal {
  return value instanceof Refusal;
}
