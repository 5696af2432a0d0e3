/** Returns a time of the daemon, in ISO 8601, as this computer's clock shows it: date and time to the second. */
export function localTime(time: string): string {
  const at = new Date(time);
  const shown = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return shown.toISOString().slice(0, 19).replace("T", " ");
}
