import type { ComponentChildren } from "preact";
import type { Route } from "../state/route.ts";
import { Activity } from "./activity/activity.tsx";
import { DocumentView } from "./document/document-view.tsx";
import { Health } from "./health/health-view.tsx";
import { Notices } from "./notices/notices.tsx";
import { Overview } from "./overview/overview.tsx";
import { Proposals } from "./proposals/proposals.tsx";
import { Timeline } from "./timeline/timeline.tsx";

/** The view that a route names. */
export function shownView(route: Route): ComponentChildren {
  switch (route.view) {
    case "overview":
      return <Overview />;
    case "document":
      return route.tab === "timeline" ? <Timeline path={route.path} /> : <DocumentView path={route.path} />;
    case "proposals":
      return <Proposals />;
    case "activity":
      return <Activity />;
    case "notices":
      return <Notices />;
    case "health":
      return <Health />;
  }
}
