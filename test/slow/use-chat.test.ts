import { afterAll, beforeAll, expect, test } from "vitest";
import { type BuiltPage, buildPage } from "../../examples/site.ts";
import { demoAgent } from "../../src/models/demo.ts";
import type { Source } from "../../src/source.ts";
import { describeInBrowser } from "../browsing.ts";
import { PICTURE_VIEW, frontEndPicture } from "../front-end-picture.ts";
import { pausedSource } from "../paused-source.ts";
import { onStop } from "../serving.ts";

describeInBrowser("useChat of @ai-sdk/react", ({ open }) => {
  let built: BuiltPage;
  beforeAll(() => {
    built = buildPage("use-chat");
  });
  afterAll(() => built.remove());

  const openChat = async (source: Source) => {
    const site = await built.serve(source);
    onStop(site.close);
    const page = await open(site.url, PICTURE_VIEW);
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
    await page.getByRole("button", { name: choice }).waitFor();
    await frontEndPicture(page, "use-chat", 420);
    await page.getByRole("button", { name: choice }).click();
    const ended = choice === "Allow" ? "output-available" : "output-denied";
    await page.locator(`section[aria-label=send_report][data-state=${ended}]`).waitFor();
    await ready();
    expect(await answer.count()).toBe(1);
    expect(await page.getByRole("alert").count()).toBe(0);
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
