import { describeFrontEnd } from "../front-end.ts";

describeFrontEnd("assistant-ui, with its AI SDK runtime", {
  example: "assistant-ui",
  pictureHeight: 320,
  ready: (page) => page.getByRole("button", { name: "Send" }).waitFor(),
  states: { done: "[data-state=complete]", failed: "[data-state=failed]", asks: "[data-state=asks]" },
  // A denied call has the state of a failed one, so only its result shows the difference.
  decided: (call, choice) =>
    call
      .and(call.page().locator(":not([data-state=asks], [data-state=running])"))
      .locator("pre", { hasText: choice === "Allow" ? "in the outbox" : "denied" }),
});
