import type { Client } from "../../src/client/index.ts";

/**
 * Tells how markers came to be lost or doubled: each change of a document after which one of them stands in the text
 * more or less often than before, with that text around it.
 */
export async function markersStory(
  client: Client,
  path: string,
  markers: readonly string[],
): Promise<string> {
  const { changes } = await client.request("history.list", { path, limit: 1000 });
  const story: string[] = [];
  let before: readonly number[] = markers.map(() => 0);
  for (const { version, author, origin, time, lacked, message } of changes.reverse()) {
    const { text } = await client.request("doc.read", { path, version });
    const now = markers.map((marker) => text.split(marker).length - 1);
    for (const [i, marker] of markers.entries()) {
      if (now[i] === before[i]) continue;
      const about = JSON.stringify({ origin, time, lacked, message });
      story.push(`${marker} ${before[i]} → ${now[i]} by ${author} in ${version} ${about}`);
      story.push(...text.split("\n").filter((line) => line.includes(marker)));
    }
    before = now;
  }
  return story.join("\n");
}
