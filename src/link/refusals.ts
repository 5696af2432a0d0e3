import { Refusal } from "../workspace/outcome/refusal.ts";
import { haveCommonServer, NatsOptionsError, publicAddress } from "./carrier/nats-address.ts";
import type { Copied } from "./members/identity.ts";

export function copiedMessage(why: Copied): string {
  const from = why === "backup" ? "an older backup" : `another ${why}`;
  return `this folder is a copy of a shared one, from ${from}, and two machines with one identity would damage each other's work. Run \`spliced leave\` here, then \`spliced join\` with a share line`;
}

export function aloneRefusal(): Refusal {
  return new Refusal("NOT_FOUND", "this folder is not shared with other machines", {
    suggestion: "Call workspace.share to share it.",
  });
}

export function brokenRefusal(reason: string): Refusal {
  return new Refusal("CONFLICT", `the folder's link cannot be used: ${reason}`, {
    suggestion: "Call workspace.leave, then share or join anew.",
  });
}

export function unreachableRefusal(problem: string): Refusal {
  return new Refusal("INVALID_ARGUMENT", `this machine cannot use the NATS server: ${problem}`, {
    suggestion: "Check the address, and that nats-server runs there with JetStream (nats-server -js).",
  });
}

/** Returns the refusal of a share that names another broker than the one in use; undefined where both are the same. */
export function refuseOtherBroker(used: string, named: string): Refusal | undefined {
  try {
    return haveCommonServer(used, named) ? undefined : otherBrokerRefusal(publicAddress(used));
  } catch (error) {
    if (!(error instanceof NatsOptionsError)) throw error;
    return unreachableRefusal(error.message);
  }
}

function otherBrokerRefusal(used: string): Refusal {
  return new Refusal("INVALID_ARGUMENT", `the folder is shared through ${used} already`, {
    suggestion:
      "For another share line, name no server. To use another server, call workspace.leave first, and share and join anew.",
  });
}
