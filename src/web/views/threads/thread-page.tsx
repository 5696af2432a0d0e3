import { documentRoute, go } from "../../state/base/route.ts";
import { ThreadView } from "./thread-view.tsx";
import "./threads.css";

/** Shows a thread in a view of its own: one that is about no document, or whose documents are gone. */
export function ThreadPage({ id }: { readonly id: string }) {
  return (
    <div class="view thread-page">
      <h1 class="visually-hidden">Thread</h1>
      <ThreadView
        id={id}
        listed={undefined}
        onAnchor={({ path }) => go(documentRoute(path, "text", { thread: id }))}
        back={{ label: "Overview", run: () => go({ view: "overview" }) }}
      />
    </div>
  );
}
