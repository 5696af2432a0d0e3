import type { ComponentChildren } from "preact";
import type { Route } from "../state/route.ts";
import { ActivityView } from "./activity/activity.tsx";
import { DocumentView } from "./document/document-view.tsx";
import { HealthView } from "./health/health-view.tsx";
import { NoticesView } from "./notices/notices.tsx";
import { OverviewView } from "./overview/overview.tsx";
import { ProposalsView } from "./proposals/proposals.tsx";
import { TimelineView } from "./timeline/timeline.tsx";

/** Returns the view that a route names. */
export function viewOf(route: Route): ComponentChildren {
  switch (route.view) {
    case "overview":
      return <OverviewView />;
    case "document":
      return route.tab === "timeline" ? (
        <TimelineView path={route.path} />
      ) : (
        <DocumentView path={route.path} />
      );
    case "proposals":
      return <ProposalsView />;
    case "activity":
      return <ActivityView />;
    case "notices":
      return <NoticesView />;
    case "health":
      return <HealthView />;
  }
}
