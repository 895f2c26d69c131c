import { describeFrontEnd } from "../front-end.ts";

describeFrontEnd("useChat of @ai-sdk/react", {
  example: "use-chat",
  pictureHeight: 420,
  ready: (page) => page.getByRole("status").getByText("ready").waitFor(),
  states: {
    done: "[data-state=output-available]",
    failed: "[data-state=output-error]",
    asks: "[data-state=approval-requested]",
  },
  decided: (call, choice) =>
    call.and(call.page().locator(`[data-state=${choice === "Allow" ? "output-available" : "output-denied"}]`)),
});
