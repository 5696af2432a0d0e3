import { Button } from "../parts/button.tsx";
import { copy } from "../parts/copy.ts";
import { unsentTexts } from "../state/open-documents.ts";

/** What was typed last, and could not be sent any more as one was signed out or elsewhere; until a person has seen to it. */
export function UnsentTexts() {
  return unsentTexts.value.map((lost, i) => (
    <div key={i} class="banner unsent" role="alert">
      <span>What you typed last in {lost.path} was not sent.</span>
      <Button onClick={() => void copy(lost.text)}>Copy its text as you saw it</Button>
      <Button
        onClick={() => {
          unsentTexts.value = unsentTexts.value.filter((each) => each !== lost);
        }}
      >
        I do not need it
      </Button>
    </div>
  ));
}
