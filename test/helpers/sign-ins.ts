import type { Holder } from "../../src/protocol/service/service.ts";
import type { SignIns } from "../../src/transport/access.ts";

/**
 * Sign-ins with one browser of one holder, whose cookie is `baked` and whose secret is `kept`. The invitation `come`
 * works any number of times.
 */
export function signInsOf(holder: Holder): SignIns {
  return {
    maxAgeSeconds: 60,
    find: ({ cookie, secret }) => (cookie === "baked" && secret === "kept" ? holder : undefined),
    begin: () => ({ cookie: "baked", secret: "kept" }),
    end() {},
    invite: () => "come",
    invited: (key) => (key === "come" ? holder : undefined),
    accept: (key) => (key === "come" ? holder : undefined),
  };
}
