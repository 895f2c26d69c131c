import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BuiltPage, buildPage, type Site } from "../examples/site.ts";
import { demoAgent } from "../src/models/demo.ts";
import type { Source } from "../src/source.ts";
import { type Browsing, describeInBrowser } from "./browsing.ts";
import { frontEndPicture, PICTURE_VIEW } from "./front-end-picture.ts";
import { pausedSource } from "./paused-source.ts";
import { onStop } from "./serving.ts";

/** A sample page with a front end that shows messages as `article[data-role]` and calls as `section[aria-label]`. */
export interface FrontEnd {
  /** The name of its folder in `examples`, and of its picture. */
  readonly example: string;
  readonly pictureHeight: number;
  /** Waits until the page accepts the next message. */
  ready(page: Page): Promise<void>;
  /** What follows a call's `section[aria-label]` in a selector, in each state. */
  readonly states: Readonly<Record<"done" | "failed" | "asks", string>>;
  /** The place where the page shows that the call of an answered approval has ended. */
  decided(call: Locator, choice: Choice): Locator;
}

export type Choice = "Allow" | "Deny";

/** Builds the page of an example once for a suite. Returns a function that serves it until the test ends. */
export const builtExample = (example: string): ((source: Source) => Promise<Site>) => {
  let built: BuiltPage;
  beforeAll(() => {
    built = buildPage(example);
  }, 180_000);
  afterAll(() => built.remove());
  return async (source) => {
    const site = await built.serve(source);
    onStop(site.close);
    return site;
  };
};

/** What every front end for the AI SDK must do in a browser. */
export const describeFrontEnd = (name: string, frontEnd: FrontEnd): void =>
  describeInBrowser(name, ({ open }: Browsing) => {
    const { example, pictureHeight, states } = frontEnd;
    const serve = builtExample(example);

    const openChat = async (source: Source) => {
      const page = await open((await serve(source)).url, PICTURE_VIEW);
      const send = async (text: string) => {
        await page.getByLabel("Message").fill(text);
        await page.getByRole("button", { name: "Send" }).click();
      };
      const call = (tool: string, state?: keyof typeof states) =>
        page.locator(`section[aria-label=${tool}]${state ? states[state] : ""}`);
      return { page, send, call, ready: () => frontEnd.ready(page), answer: page.locator("[data-role=assistant]") };
    };

    test("sends a message, and shows tools with their results and sub-agents", async () => {
      const { send, call, answer, ready } = await openChat(demoAgent({ speed: 30 }));
      await send("Hello");
      await call("search_notes", "done").first().waitFor();
      await call("weather_lookup", "failed").waitFor();
      await call("researcher").getByText("done").waitFor();
      await answer.getByText("Every tool above really ran").waitFor();
      await ready();
      expect(await answer.count()).toBe(1);
    });

    test.each<Choice>(["Allow", "Deny"])("asks for approval, and continues in the same message: %s", async (choice) => {
      const { page, send, call, answer, ready } = await openChat(demoAgent({ speed: 30 }));
      await send("Send the report, but ask for my approval first");
      await call("send_report", "asks").waitFor();
      await page.getByRole("button", { name: choice }).waitFor();
      await frontEndPicture(page, example, pictureHeight);
      await page.getByRole("button", { name: choice }).click();
      await frontEnd.decided(call("send_report"), choice).waitFor();
      await ready();
      expect(await answer.count()).toBe(1);
      expect(await page.getByRole("alert").count()).toBe(0);
    });

    test("stops the run", async () => {
      const { source, stopped } = pausedSource();
      const { page, send, answer, ready } = await openChat(source);
      await send("Go");
      await answer.getByText("One").waitFor();
      await page.getByRole("button", { name: "Stop" }).click();
      await stopped;
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
