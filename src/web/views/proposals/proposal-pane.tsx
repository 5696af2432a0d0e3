import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { Button } from "../../parts/controls/button.tsx";
import { Icon } from "../../parts/controls/icon.tsx";
import { documentRoute, go, hrefOf } from "../../state/base/route.ts";
import { focusTitle, TITLE_ID, takeTitleFocus } from "./focus.ts";

interface ProposalPaneProps {
  readonly title: string;
  /** The document that the Open button opens; no button if undefined. */
  readonly path?: string;
  readonly chip?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The pane of the chosen proposal, with a heading that can take the focus. */
export function ProposalPane({ title, path, chip, children }: ProposalPaneProps) {
  useLayoutEffect(() => {
    if (takeTitleFocus()) focusTitle();
  }, []);
  return (
    <section class="proposal-pane" aria-labelledby={TITLE_ID}>
      <header class="view-head">
        <a class="proposal-back" href={hrefOf({ view: "proposals", id: undefined })}>
          <Icon name="chevron" /> All
        </a>
        <h2 id={TITLE_ID} tabIndex={-1}>
          {title}
        </h2>
        {chip}
        <span class="spacer" />
        {path !== undefined && (
          <Button icon="file" label="Open the document (o)" onClick={() => go(documentRoute(path))}>
            Open
          </Button>
        )}
      </header>
      <div class="view-body">{children}</div>
    </section>
  );
}
