import { signal } from "@preact/signals";

interface Question {
  readonly title: string;
  /** What follows, in a sentence or two. */
  readonly text: string;
  readonly yes: string;
  /** What leaves all as it is; `Cancel` without it. */
  readonly no?: string;
  readonly danger?: boolean;
}

/** What is asked now. */
export const asked = signal<(Question & { readonly answer: (yes: boolean) => void }) | undefined>(undefined);

/** Asks before something is done that concerns others; true when a person says so. One question at a time. */
export function confirmed(question: Question): Promise<boolean> {
  asked.value?.answer(false);
  return new Promise((resolve) => {
    asked.value = {
      ...question,
      answer: (yes) => {
        asked.value = undefined;
        resolve(yes);
      },
    };
  });
}
