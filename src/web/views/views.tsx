import type { ComponentChildren } from "preact";
import { Empty } from "../parts/empty.tsx";
import type { Route } from "../state/route.ts";
import { Activity } from "./activity/activity.tsx";

/** The view that a route names. */
export function shownView(route: Route): ComponentChildren {
  switch (route.view) {
    case "activity":
      return <Activity />;
    default:
      return <Empty icon="file" title={route.view} />;
  }
}
