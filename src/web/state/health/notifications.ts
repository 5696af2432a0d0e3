import { effect, signal } from "@preact/signals";
import { counts } from "../base/counts.ts";
import { plural } from "../base/plural.ts";
import { go } from "../base/route.ts";
import { workspaceName } from "../base/title.ts";

const WANTED_KEY = "spliced.notify";

/** Whether this browser shows notifications of what waits for the person, as the person asked. */
export const notificationsWanted = signal(
  localStorage.getItem(WANTED_KEY) === "on" && permission() === "granted",
);

/** Whether the browser can show notifications here at all. */
export const notificationsExist = "Notification" in window;

/** Turns notifications on, after the browser has asked the person, or off. Returns whether they are on. */
export async function wantNotifications(wanted: boolean): Promise<boolean> {
  notificationsWanted.value = wanted && (await Notification.requestPermission()) === "granted";
  localStorage.setItem(WANTED_KEY, notificationsWanted.value ? "on" : "off");
  return notificationsWanted.value;
}

function permission(): NotificationPermission | undefined {
  return "Notification" in window ? Notification.permission : undefined;
}

let before = counts.peek();

effect(() => {
  const now = counts.value;
  const earlier = before;
  before = now;
  if (!notificationsWanted.peek() || !document.hidden) return;
  if (now.proposals > earlier.proposals)
    notify(`${plural(now.proposals, "proposal")} to review`, () => go({ view: "proposals", id: undefined }));
  if (now.notices > earlier.notices) notify(plural(now.notices, "notice"), () => go({ view: "notices" }));
  if (now.problems > earlier.problems) notify(plural(now.problems, "problem"), () => go({ view: "health" }));
});

/** Shows a notification; a newer one of the workspace replaces it. */
function notify(text: string, open: () => void): void {
  const shown = new Notification(workspaceName.peek(), { body: text, tag: text.replace(/^\d+ /, "") });
  shown.onclick = () => {
    focus();
    open();
    shown.close();
  };
}
