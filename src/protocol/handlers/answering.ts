import { isRefusal, type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";
import type { Requester, Service } from "../service/service.ts";

/**
 * Returns the requester of an edit together with the message that the edit answers. Each change and proposal of the
 * request then has the message's id. Refuses a message that the requester may not see.
 */
export function answeringAs<R extends Requester>(
  { threads }: Pick<Service, "threads">,
  requester: R,
  { thread, messageId }: { readonly thread?: string | undefined; readonly messageId?: string | undefined },
): Outcome<R> {
  if (thread === undefined && messageId === undefined) return requester;
  if (thread === undefined || messageId === undefined)
    return new Refusal(
      "INVALID_ARGUMENT",
      "an edit that answers a message names its thread and its messageId",
      {
        suggestion: "Give both, or none.",
      },
    );
  const answers = threads.answered(requester.actor, thread, messageId);
  return isRefusal(answers) ? answers : { ...requester, actor: { ...requester.actor, answers } };
}
