import type { Holder } from "../../src/protocol/service.ts";
import type { SignIns } from "../../src/transport/access.ts";

/** One browser of one holder, whose cookie is `baked`; the invitation `come` is good any number of times. */
export function signInsOf(holder: Holder): SignIns {
  return {
    maxAgeSeconds: 60,
    find: (cookie) => (cookie === "baked" ? holder : undefined),
    begin: () => "baked",
    end() {},
    invite: () => "come",
    accept: (key) => (key === "come" ? holder : undefined),
  };
}
