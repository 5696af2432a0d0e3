import { JetStreamApiCodes, JetStreamApiError } from "@nats-io/jetstream";
import { errors } from "@nats-io/transport-node";
import { CarrierError } from "./carrier.ts";

/** Codes of errors that pass: JetStream is unavailable, has no leader, or a stream is offline. */
const PASSING = [10008, 10009, 10118];
const REFUSALS = [
  errors.InvalidArgumentError,
  errors.PermissionViolationError,
  errors.AuthorizationError,
  errors.UserAuthenticationExpiredError,
];

/** Returns the carrier's error for an error of the client's packages. */
export function carrierError(error: unknown): CarrierError {
  if (error instanceof CarrierError) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const message = error instanceof Error ? error.message : String(error);
  const refused =
    (error instanceof JetStreamApiError && !PASSING.includes(error.code)) ||
    REFUSALS.some((refusal) => error instanceof refusal || cause instanceof refusal);
  return new CarrierError(refused ? "refused" : "away", `NATS: ${message}`, { cause: error });
}

/** Returns true if no server answered a request, or the stream is missing. */
export function isMissing(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.code === JetStreamApiCodes.StreamNotFound;
  return [error, error instanceof Error ? error.cause : undefined].some(
    (one) =>
      one instanceof errors.NoRespondersError || (one instanceof errors.RequestError && one.isNoResponders()),
  );
}
