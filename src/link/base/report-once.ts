type Report = (event: string, details: Readonly<Record<string, unknown>>) => void;

/** Returns a report that passes on only the first event of each key. */
export function reportOnce(report: Report): (key: string, ...event: Parameters<Report>) => void {
  const reported = new Set<string>();
  return (key, ...event) => {
    if (!reported.has(key)) report(...event);
    reported.add(key);
  };
}
