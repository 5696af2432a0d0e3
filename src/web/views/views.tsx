import type { ComponentChildren } from "preact";
import type { DocumentTab, Route } from "../state/base/route.ts";
import { ActivityView } from "./activity/activity.tsx";
import { DocumentView } from "./document/document-view.tsx";
import { HealthView } from "./health/health-view.tsx";
import { MarkdownView } from "./markdown/markdown.tsx";
import { NoticesView } from "./notices/notices.tsx";
import { OverviewView } from "./overview/overview.tsx";
import { ProposalsView } from "./proposals/proposals.tsx";
import { ThreadPage } from "./threads/thread-page.tsx";
import { TimelineView } from "./timeline/timeline.tsx";

/** Returns the view that a route names. */
export function viewOf(route: Route): ComponentChildren {
  switch (route.view) {
    case "overview":
      return <OverviewView />;
    case "document":
      return tabOf(route.path, route.tab);
    case "proposals":
      return <ProposalsView />;
    case "thread":
      return <ThreadPage key={route.id} id={route.id} />;
    case "activity":
      return <ActivityView />;
    case "notices":
      return <NoticesView />;
    case "health":
      return <HealthView />;
  }
}

function tabOf(path: string, tab: DocumentTab): ComponentChildren {
  switch (tab) {
    case "text":
      return <DocumentView path={path} />;
    case "markdown":
      return <MarkdownView key={path} path={path} />;
    case "timeline":
      return <TimelineView path={path} />;
  }
}
