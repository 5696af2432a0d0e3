import { AnswerFailure } from "../failure.ts";

/** Most characters of one event. */
const MOST_EVENT = 4 << 20;

/** Yields the data of each server-sent event of a body. @throws AnswerFailure for an event without an end */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop()!;
    for (const line of lines) {
      if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      else if (line === "" && data.length > 0) {
        yield data.join("\n");
        data = [];
      }
    }
    const size = data.reduce((sum, line) => sum + line.length, rest.length);
    if (size > MOST_EVENT) throw new AnswerFailure("The endpoint sent an event that is too long.");
  }
  if (data.length > 0 && rest === "") yield data.join("\n");
}
