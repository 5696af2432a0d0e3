import { signal } from "@preact/signals";

interface Question {
  readonly title: string;
  /** The effect of the action, in a sentence or two. */
  readonly text: string;
  /** The label of the button that confirms. */
  readonly yes: string;
  /** The label of the button that cancels; `Cancel` if undefined. */
  readonly no?: string;
  readonly danger?: boolean;
}

/** The question that the page shows now. */
export const openQuestion = signal<(Question & { readonly answer: (yes: boolean) => void }) | undefined>(
  undefined,
);

/** Asks a person to confirm an action. The page shows one question at a time; an earlier one counts as cancelled. */
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
