import { Button } from "../parts/controls/button.tsx";
import { copy } from "../parts/controls/copy.ts";
import { unsentTexts } from "../state/documents/open-documents.ts";

/** Own edits that the page could not send, as when it was signed out, until the person discards them. */
export function UnsentTexts() {
  return unsentTexts.value.map((lost, i) => (
    <div key={i} class="banner unsent" role="alert">
      <span>Your last edits in {lost.path} did not reach spliced.</span>
      <Button onClick={() => void copy(lost.text)}>Copy the text</Button>
      <Button
        onClick={() => {
          unsentTexts.value = unsentTexts.value.filter((text) => text !== lost);
        }}
      >
        Discard
      </Button>
    </div>
  ));
}
