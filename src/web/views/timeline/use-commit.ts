import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { theDaemon } from "../../state/base/session.ts";

/** Returns git's newest commit in a document's workspace; undefined without one, and until the daemon has answered. */
export function useCommit(path: string): Signal<string | undefined> {
  const commit = useSignal<string | undefined>(undefined);
  useEffect(() => {
    let isGone = false;
    const show = (found: string | null) => {
      if (!isGone) commit.value = found ?? undefined;
    };
    show(null);
    // A deleted document has no comparison with git.
    void theDaemon()
      .doc.committed({ path })
      .then(
        (answer) => show(answer.commit),
        () => show(null),
      );
    return () => {
      isGone = true;
    };
  }, [path, commit]);
  return commit;
}
