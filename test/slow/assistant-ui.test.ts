import { afterAll, beforeAll, expect, test } from "vitest";
import { type BuiltPage, buildPage } from "../../examples/site.ts";
import { demoAgent } from "../../src/models/demo.ts";
import type { Source } from "../../src/source.ts";
import { describeInBrowser } from "../browsing.ts";
import { PICTURE_VIEW, frontEndPicture } from "../front-end-picture.ts";
import { pausedSource } from "../paused-source.ts";
import { onStop } from "../serving.ts";

describeInBrowser("assistant-ui, with its AI SDK runtime", ({ open }) => {
  let built: BuiltPage;
  beforeAll(() => {
    built = buildPage("assistant-ui");
  });
  afterAll(() => built.remove());

  const openChat = async (source: Source) => {
    const site = await built.serve(source);
    onStop(site.close);
    const page = await open(site.url, PICTURE_VIEW);
    const send = async (text: string) => {
      await page.getByLabel("Message").fill(text);
      await page.getByRole("button", { name: "Send" }).click();
    };
    const ready = () => page.getByRole("button", { name: "Send" }).waitFor();
    return { page, send, ready, answer: page.locator("[data-role=assistant]") };
  };

  test("sends a message, and shows tools with their results and sub-agents", async () => {
    const { page, send, answer, ready } = await openChat(demoAgent({ speed: 30 }));
    await send("Hello");
    await page.locator("section[aria-label=search_notes][data-state=complete]").first().waitFor();
    await page.locator("section[aria-label=weather_lookup][data-state=failed]").waitFor();
    await page.locator("section[aria-label=researcher]").getByText("done").waitFor();
    await answer.getByText("Every tool above really ran").waitFor();
    await ready();
    expect(await answer.count()).toBe(1);
  });

  test.each(["Allow", "Deny"])("asks for approval, and continues in the same message: %s", async (choice) => {
    const { page, send, answer, ready } = await openChat(demoAgent({ speed: 30 }));
    await send("Send the report, but ask for my approval first");
    await page.locator("section[aria-label=send_report][data-state=asks]").waitFor();
    await page.getByRole("button", { name: choice }).waitFor();
    await frontEndPicture(page, "assistant-ui", 320);
    await page.getByRole("button", { name: choice }).click();
    const report = page.locator("section[aria-label=send_report]:not([data-state=asks]):not([data-state=running])");
    await report.locator("pre", { hasText: choice === "Allow" ? "in the outbox" : "denied" }).waitFor();
    await ready();
    expect(await answer.count()).toBe(1);
  });

  test("stops the run", async () => {
    const { page, send, answer, ready } = await openChat(pausedSource().source);
    await send("Go");
    await answer.getByText("One").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await ready();
    expect((await answer.innerText()).trim()).toBe("One");
  });

  test("shows the continuing run once after a reload", async () => {
    const { source, go } = pausedSource();
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
