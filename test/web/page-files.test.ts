import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { ServedFolder } from "../e2e/daemon.ts";
import { makeFolder } from "../e2e/folder.ts";
import { serveFolder } from "../e2e/served.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";

const BUILT = join(import.meta.dirname, "../../dist/web");

let daemon: ServedFolder;

beginShared(async () => {
  daemon = await serveFolder(makeFolder({ "a.md": "hello\n" }).root);
});

further("[AC7, AC8] each form of each file of the page decodes to the file, and is sent once", async () => {
  const scripts = readdirSync(join(BUILT, "assets")).filter((name) => /\.(?:js|css)$/.test(name));
  expect(scripts.length).toBeGreaterThan(1);
  for (const name of ["index.html", ...scripts.map((script) => `assets/${script}`)])
    for (const encoding of ["br", "gzip", "identity"]) {
      const url = `${daemon.located.url}/${name === "index.html" ? "" : name}`;
      const answer = await fetch(url, { headers: { "accept-encoding": encoding } });
      expect(Buffer.from(await answer.arrayBuffer()).equals(readFileSync(join(BUILT, name))), name).toBe(
        true,
      );
      expect(Number(answer.headers.get("content-length"))).toBeGreaterThan(0);
      const known = { "accept-encoding": encoding, "if-none-match": answer.headers.get("etag")! };
      expect((await fetch(url, { headers: known })).status).toBe(304);
    }
});
