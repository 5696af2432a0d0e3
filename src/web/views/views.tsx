import type { ComponentChildren } from "preact";
import { Empty } from "../parts/empty.tsx";
import type { Route } from "../state/route.ts";
import { Activity } from "./activity/activity.tsx";
import { Notices } from "./notices/notices.tsx";
import { Timeline } from "./timeline/timeline.tsx";

/** The view that a route names. */
export function shownView(route: Route): ComponentChildren {
  switch (route.view) {
    case "document":
      return route.tab === "timeline" ? (
        <Timeline path={route.path} />
      ) : (
        <Empty icon="file" title={route.path} />
      );
    case "activity":
      return <Activity />;
    case "notices":
      return <Notices />;
    default:
      return <Empty icon="file" title={route.view} />;
  }
}
