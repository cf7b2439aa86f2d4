import { byId } from "./screen.ts";

/** The first press asks, the second one leaves: a place that was given up by a slip of the finger is gone. */
export function askBeforeLeaving(): void {
  const [question, button] = [byId("leave-ask"), byId("leave-button")];
  question.hidden = true;
  byId("leave").addEventListener("submit", (event) => {
    if (!question.hidden) return;
    event.preventDefault();
    question.hidden = false;
    button.textContent = button.dataset["sure"] ?? "";
  });
}
