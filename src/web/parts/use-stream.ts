import { useEffect, useMemo } from "preact/hooks";
import { theDaemon } from "../state/base/session.ts";
import { type ChangeFilter, ChangeStream } from "../state/changes/stream.ts";

/** Returns a stream of changes that lives as long as the component and its filter. */
export function useStream({ path, agent }: ChangeFilter): ChangeStream {
  const client = theDaemon();
  const stream = useMemo(() => new ChangeStream(client, { path, agent }), [client, path, agent]);
  useEffect(() => () => stream.close(), [stream]);
  return stream;
}
