import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../parts/controls/button.tsx";
import { route } from "../state/base/route.ts";
import { connected } from "../state/base/session.ts";
import { workspaceName } from "../state/base/title.ts";
import { viewOf } from "../views/views.tsx";
import { CaptureBanner } from "./capture-banner.tsx";
import { LinkBanner } from "./link-banner.tsx";
import { openPalette, Palette } from "./palette.tsx";
import { Sidebar } from "./sidebar.tsx";
import { UnsentTexts } from "./unsent-text.tsx";

/** Whether a narrow window shows the sidebar; a wide one always does. */
const sidebarOpen = signal(false);

/** The signed-in page: the sidebar, and the view that the address names. */
export function Shell() {
  const { value: shown } = route;
  useEffect(() => {
    sidebarOpen.value = false;
  }, [shown]);
  useEffect(() => {
    const keys = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        openPalette();
      }
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, []);
  return (
    <div class={`shell${sidebarOpen.value ? " sidebar-open" : ""}`}>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <header class="topbar">
        <Button
          icon="menu"
          label="Documents and views"
          onClick={() => {
            sidebarOpen.value = !sidebarOpen.value;
          }}
        />
        <span class="topbar-title">{workspaceName.value}</span>
        <Button icon="search" label="Go to … (Ctrl K)" onClick={openPalette} />
      </header>
      <Sidebar />
      <button
        type="button"
        class="scrim"
        aria-label="Close the sidebar"
        onClick={() => {
          sidebarOpen.value = false;
        }}
      />
      <main id="main" class="main" tabIndex={-1}>
        {!connected.value && (
          <div class="banner" role="alert">
            Disconnected. Your typing is kept and sent when spliced is running again.
          </div>
        )}
        <LinkBanner />
        <CaptureBanner />
        <UnsentTexts />
        {viewOf(shown)}
      </main>
      <Palette />
    </div>
  );
}
