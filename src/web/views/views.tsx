import type { ComponentChildren } from "preact";
import { Empty } from "../parts/empty.tsx";
import type { Route } from "../state/route.ts";

/** The view that a route names. */
export function shownView(route: Route): ComponentChildren {
  return <Empty icon="file" title={route.view} />;
}
