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
export const openQuestion = signal<(Question & { readonly answer: (yes: boolean) => void }) | undefined>(
  undefined,
);

/** Asks before something is done that concerns others; true when a person says so. One question at a time. */
export function askToConfirm(question: Question): Promise<boolean> {
  openQuestion.value?.answer(false);
  return new Promise((resolve) => {
    openQuestion.value = {
      ...question,
      answer: (yes) => {
        openQuestion.value = undefined;
        resolve(yes);
      },
    };
  });
}
