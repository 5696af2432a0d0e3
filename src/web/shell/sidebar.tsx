import type { ComponentChildren } from "preact";
import { Button } from "../parts/controls/button.tsx";
import { Icon, type IconName } from "../parts/controls/icon.tsx";
import { badgeText, counts } from "../state/base/counts.ts";
import { hrefOf, type Route, route } from "../state/base/route.ts";
import { connected, workspace } from "../state/base/session.ts";
import { switchTheme, theme } from "../state/base/theme.ts";
import { workspaceName } from "../state/base/title.ts";
import { DocumentTree } from "./document-tree.tsx";
import { Logo } from "./logo.tsx";

/** The views, with the number of open items in each, and the documents. */
export function Sidebar() {
  const { proposals, areMoreProposals, notices, problems } = counts.value;
  return (
    <nav class="sidebar" aria-label="Views and documents">
      <div class="brand">
        <Logo size={22} />
        <span class="brand-name" title={workspace.value}>
          {workspaceName.value}
          <span class="brand-product">spliced</span>
        </span>
        <span
          class={`dot ${connected.value ? "good" : "bad"}`}
          title={connected.value ? "Connected" : "Disconnected"}
        />
        <ThemeButton />
      </div>
      <div class="view-links">
        <ViewLink to={{ view: "overview" }} icon="home">
          Overview
        </ViewLink>
        <ViewLink
          to={{ view: "proposals", id: undefined }}
          icon="proposal"
          count={proposals}
          areMore={areMoreProposals}
        >
          Proposals
        </ViewLink>
        <ViewLink to={{ view: "activity" }} icon="activity">
          Activity
        </ViewLink>
        <ViewLink to={{ view: "notices" }} icon="alert" count={notices}>
          Notices
        </ViewLink>
        <ViewLink to={{ view: "health" }} icon="health" count={problems}>
          Health
        </ViewLink>
      </div>
      <DocumentTree />
    </nav>
  );
}

function ViewLink(props: {
  readonly to: Route;
  readonly icon: IconName;
  readonly count?: number;
  readonly areMore?: boolean;
  readonly children: ComponentChildren;
}) {
  const here = route.value.view === props.to.view;
  return (
    <a class="view-link" href={hrefOf(props.to)} aria-current={here ? "page" : undefined}>
      <Icon name={props.icon} />
      <span class="view-link-name">{props.children}</span>
      {props.count !== undefined && props.count > 0 && (
        <span class="count">{badgeText(props.count, props.areMore)}</span>
      )}
    </a>
  );
}

function ThemeButton() {
  const dark = theme.value === "dark";
  return (
    <Button
      icon={dark ? "sun" : "moon"}
      label={dark ? "Light colours" : "Dark colours"}
      onClick={switchTheme}
    />
  );
}
