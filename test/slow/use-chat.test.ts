import { expect, test } from "vitest";
import { startSite } from "../../examples/use-chat/site.ts";
import { demoAgent } from "../../src/models/demo.ts";
import type { Source } from "../../src/source.ts";
import { describeInBrowser } from "../browsing.ts";
import { onStop } from "../serving.ts";

/** Emits text, then waits until the test lets it continue. */
const speaking = () => {
  const going = Promise.withResolvers<void>();
  const source: Source = async function* (_, { signal }) {
    signal.addEventListener("abort", () => going.resolve(), { once: true });
    yield { type: "step-start", step: "s" };
    yield { type: "text-start", part: "p" };
    yield { type: "text-delta", part: "p", delta: "One " };
    await going.promise;
    if (signal.aborted) return;
    yield { type: "text-delta", part: "p", delta: "two." };
    yield { type: "text-end", part: "p" };
    yield { type: "step-end", step: "s", finish: "stop" };
  };
  return { source, go: going.resolve };
};

describeInBrowser("useChat of @ai-sdk/react", ({ open }) => {
  const openChat = async (source: Source) => {
    const site = await startSite(source);
    onStop(site.close);
    const page = await open(site.url);
    const status = page.getByRole("status");
    const send = async (text: string) => {
      await page.getByLabel("Message").fill(text);
      await page.getByRole("button", { name: "Send" }).click();
    };
    const answer = page.locator("[data-role=assistant]");
    const ready = () => status.getByText("ready").waitFor();
    return { page, send, answer, ready };
  };

  test("sends a message, and shows tools with their results and sub-agents", async () => {
    const { page, send, answer, ready } = await openChat(demoAgent({ speed: 30 }));
    await send("Hello");
    await page.locator("section[aria-label=search_notes][data-state=output-available]").first().waitFor();
    await page.locator("section[aria-label=weather_lookup][data-state=output-error]").waitFor();
    await page.locator("section[aria-label=researcher]").getByText("done").waitFor();
    await ready();
    expect(await answer.count()).toBe(1);
    expect(await answer.innerText()).toContain("Every tool above really ran");
  });

  test.each(["Allow", "Deny"])("asks for approval, and continues in the same message: %s", async (choice) => {
    const { page, send, answer, ready } = await openChat(demoAgent({ speed: 30 }));
    await send("Send the report, but ask for my approval first");
    await page.locator("section[aria-label=send_report][data-state=approval-requested]").waitFor();
    await page.getByRole("button", { name: choice }).click();
    const ended = choice === "Allow" ? "output-available" : "output-denied";
    await page.locator(`section[aria-label=send_report][data-state=${ended}]`).waitFor();
    await ready();
    expect(await answer.count()).toBe(1);
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("stops the run", async () => {
    const { page, send, answer, ready } = await openChat(speaking().source);
    await send("Go");
    await answer.getByText("One").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await ready();
    expect((await answer.innerText()).trim()).toBe("One");
  });

  test("shows the continuing run once after a reload", async () => {
    const { source, go } = speaking();
    const { page, send, answer, ready } = await openChat(source);
    await send("Go");
    await answer.getByText("One").waitFor();
    await page.reload();
    await answer.getByText("One").waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    go();
    await answer.getByText("One two.").waitFor();
    await ready();
    expect(await page.locator("article").allInnerTexts()).toEqual(["Go", "One two."]);
  });
});
