import { useEffect, useMemo } from "preact/hooks";
import { theDaemon } from "../state/session.ts";
import { type ChangeFilter, ChangeStream } from "../state/stream.ts";

/** A stream of changes for as long as a component is shown and asks for the same. */
export function useStream({ path, agent }: ChangeFilter): ChangeStream {
  const client = theDaemon();
  const stream = useMemo(() => new ChangeStream(client, { path, agent }), [client, path, agent]);
  useEffect(() => () => stream.close(), [stream]);
  return stream;
}
