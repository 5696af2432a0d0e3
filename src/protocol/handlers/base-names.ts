import { type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";

/** The parameters that may name the base of a patch. */
interface BaseNames {
  readonly version?: string | undefined;
  readonly sha256?: string | undefined;
  readonly document_version?: string | undefined;
  readonly snapshot_version?: string | undefined;
  readonly document_digest?: string | undefined;
}

type WithBase<T> = Omit<T, "document_version" | "snapshot_version" | "document_digest"> &
  Pick<BaseNames, "version" | "sha256">;

/** Returns the request with its base as `version` and `sha256`; refuses two names with different values. */
export function withBase<T extends BaseNames>({
  document_version,
  snapshot_version,
  document_digest,
  ...request
}: T): Outcome<WithBase<T>> {
  const isHash = document_digest !== undefined && /^[0-9a-f]{64}$/i.test(document_digest);
  const version = one([
    request.version,
    document_version,
    snapshot_version,
    isHash ? undefined : document_digest,
  ]);
  const sha256 = one(
    [request.sha256, isHash ? document_digest : undefined].map((hash) => hash?.toLowerCase()),
  );
  if (version === DIFFERENT || sha256 === DIFFERENT)
    return new Refusal("INVALID_ARGUMENT", "several parameters name different bases", {
      suggestion: "Give one of version, document_version, snapshot_version, document_digest and sha256.",
    });
  return { ...request, version, sha256 };
}

const DIFFERENT = Symbol("contrary");

/** Returns the only value in the list; undefined when there is none. */
function one(values: readonly (string | undefined)[]): string | undefined | typeof DIFFERENT {
  const given = new Set(values.filter((value) => value !== undefined));
  return given.size > 1 ? DIFFERENT : [...given][0];
}
