import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { demoAgent } from "../../src/models/demo.ts";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser } from "../browsing.ts";
import { absent } from "../components.ts";
import { builtExample } from "../front-end.ts";
import { PICTURE_VIEW, frontEndPicture } from "../front-end-picture.ts";
import { pausedSource } from "../paused-source.ts";

const NAME = "CopilotKit's chat, without its runtime";
const EXAMPLE = path.join(import.meta.dirname, "../../examples/copilotkit");

const suite = ({ open }: Browsing): void => {
  const serve = builtExample("copilotkit");

  const openChat = async (source: Source) => {
    const site = await serve(source);
    const page = await open("about:blank", PICTURE_VIEW);
    const foreign: string[] = [];
    page.on("request", (request) => {
      if (/^https?:/.test(request.url()) && !request.url().startsWith(site.url)) foreign.push(request.url());
    });
    await page.goto(site.url);
    const send = async (text: string) => {
      await page.getByTestId("copilot-chat-textarea").fill(text);
      await page.getByTestId("copilot-chat-textarea").press("Enter");
    };
    const tool = (name: string, status: string) => page.locator(`[data-tool-name=${name}][data-status=${status}]`);
    const answer = page.getByTestId("copilot-assistant-message");
    const ready = () => page.locator("[data-copilot-running=false]").waitFor();
    const running = () => page.locator("[data-copilot-running=true]").waitFor();
    return { page, send, tool, answer, ready, running, foreign };
  };

  test("sends, shows tools with their results, and reaches no other server", async () => {
    const { send, tool, answer, ready, foreign } = await openChat(demoAgent({ speed: 30 }));
    await send("Hello");
    await tool("search_notes", "complete").first().waitFor();
    await tool("weather_lookup", "complete").waitFor();
    await answer.getByText("Every tool above really ran").waitFor();
    await ready();
    expect(foreign).toEqual([]);
  });

  test("runs a tool of the page, and the agent continues with its result", async () => {
    const { page, send, answer, ready } = await openChat(demoAgent({ speed: 30 }));
    await send("Use a client-run tool");
    await answer.getByText("Your client answered: The title is").waitFor();
    await ready();
    expect(await page.title()).not.toBe("CopilotKit");
  });

  test.each(["Allow", "Deny"])("asks for approval: %s", async (choice) => {
    const { page, send, tool, ready } = await openChat(demoAgent({ speed: 30 }));
    await send("Send the report, but ask for my approval first");
    await page.getByRole("button", { name: choice }).waitFor();
    await frontEndPicture(page, "copilotkit");
    await page.getByRole("button", { name: choice }).click();
    await tool("send_report", "complete").waitFor();
    await ready();
    expect(await page.locator("[data-ask]").count()).toBe(0);
    // CopilotKit shows the user's decision as the result. A page that is loaded again has the real one.
    await page.reload();
    await tool("send_report", "complete").waitFor();
    const result = await tool("send_report", "complete").getAttribute("data-result");
    expect(result).toMatch(choice === "Allow" ? /in the outbox/ : /denied/i);
  });

  test("stops the run", async () => {
    const { source, stopped } = pausedSource();
    const { page, send, answer, ready, running } = await openChat(source);
    await send("Go");
    await answer.getByText("One").waitFor();
    await running();
    await page.getByTestId("copilot-send-button").click();
    await stopped;
    await ready();
    expect((await answer.innerText()).trim()).toBe("One");
  });

  test("shows the continuing run once after a reload", async () => {
    const { source, go } = pausedSource();
    const { page, send, answer, ready, running } = await openChat(source);
    await send("Go");
    await answer.getByText("One").waitFor();
    await page.reload();
    await answer.getByText("One").waitFor();
    await running();
    go();
    await answer.getByText("One two.").waitFor();
    await ready();
    expect(await answer.count()).toBe(1);
    expect(await page.getByTestId("copilot-user-message").count()).toBe(1);
  });

  test("asks again after a reload, and the answer counts", async () => {
    const { page, send, tool, ready } = await openChat(demoAgent({ speed: 30 }));
    await send("Send the report, but ask for my approval first");
    await page.getByRole("button", { name: "Allow" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Allow" }).click();
    await tool("send_report", "complete").waitFor();
    await ready();
    await page.reload();
    await tool("send_report", "complete").waitFor();
    expect(await tool("send_report", "complete").getAttribute("data-result")).toContain("in the outbox");
  });
};

if (existsSync(path.join(EXAMPLE, "node_modules"))) describeInBrowser(NAME, suite);
else absent(NAME, "not installed: npm run agents -- copilotkit-page");
