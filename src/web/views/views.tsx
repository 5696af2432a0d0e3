import type { ComponentChildren } from "preact";
import { Empty } from "../parts/empty.tsx";
import type { Route } from "../state/route.ts";
import { DocumentView } from "./document/document.tsx";

/** The view that a route names. */
export function shownView(route: Route): ComponentChildren {
  if (route.view === "document" && route.tab === "text") return <DocumentView path={route.path} />;
  return <Empty icon="file" title={route.view} />;
}
