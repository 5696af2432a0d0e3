import { describe, expect, test } from "vitest";
import { type PageFile, sentForm } from "../../src/transport/page-file.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

const FILE: PageFile = {
  type: "text/javascript",
  body: bytes("plain"),
  encoded: { br: bytes("brotli"), gzip: bytes("gzip") },
  tag: "abc",
  immutable: true,
};

const sent = (encodings: string, file = FILE) => {
  const { body } = sentForm(file, { "accept-encoding": encodings });
  return new TextDecoder().decode(body);
};

describe("a file of the page", () => {
  test("[AC8] is sent in the best form that the build made and the browser accepts", () => {
    expect(sent("gzip, deflate, br, zstd")).toBe("brotli");
    expect(sent("gzip;q=1.0, br;q=0")).toBe("gzip");
    expect(sent("BR;q=0.1")).toBe("brotli");
    expect(sent("")).toBe("plain");
    expect(sent("br", { ...FILE, encoded: {} })).toBe("plain");
    expect(sentForm(FILE, { "accept-encoding": "gzip" }).headers).toMatchObject({
      "content-encoding": "gzip",
      vary: "accept-encoding",
    });
    expect(sentForm(FILE, {}).headers).not.toHaveProperty("content-encoding");
  });

  test("[AC7] is not sent to a browser that has this form of it", () => {
    const { etag } = sentForm(FILE, { "accept-encoding": "br" }).headers;
    for (const known of [etag!, `W/${etag}`, `"other", ${etag}`]) {
      const again = sentForm(FILE, { "accept-encoding": "br", "if-none-match": known });
      expect(again).toMatchObject({ status: 304, headers: { etag } });
      expect(again.body).toBeUndefined();
    }
    expect(sentForm(FILE, { "if-none-match": etag }).status).toBe(200);
    expect(sentForm({ ...FILE, tag: "new" }, { "accept-encoding": "br", "if-none-match": etag }).status).toBe(
      200,
    );
  });
});
