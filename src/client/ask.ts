import { type Agent, request } from "node:http";

export interface Question {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly agent?: Agent | false;
  readonly signal?: AbortSignal;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends one HTTP request to a daemon and returns its answer, which has at most `most` characters. Loading Node's own
 * `fetch` would take longer than a command. @throws when no answer arrives
 */
export function ask(url: string, most: number, { body, ...options }: Question = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
        if (text.length > most) asking.destroy(new Error("the answer is too long"));
      });
      response.once("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.once("error", reject);
    });
    asking.once("error", reject);
    asking.end(body);
  });
}
