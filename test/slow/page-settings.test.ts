import { expect, test } from "vitest";
import { demoAgent } from "../../src/models/demo.ts";
import { type RunRequest, type Source, describeAgent } from "../../src/source.ts";
import { type Browsing, composer, describeInBrowser, ended, send, violations } from "../browsing.ts";

const recorder = () => {
  const requests: RunRequest[] = [];
  const source: Source = async function* (request) {
    requests.push(request);
    yield { type: "step-start", step: "s" };
    yield { type: "data", name: "follow-ups", value: ["And then?"] };
  };
  return { source, requests };
};

describeInBrowser("the page's settings", ({ serve, open, openBeside }: Browsing) => {
  test("agent, model, mode and system prompt go with the next request", async () => {
    const { source, requests } = recorder();
    const agents = {
      plain: source,
      rich: describeAgent(source, {
        model: "small",
        models: ["large"],
        modes: ["plan", "build"],
        suggestions: ["Say hello"],
      }),
    };
    const page = await open(await serve(undefined, { agents }));
    await page.getByRole("combobox", { name: "Agent" }).selectOption("rich");
    await page.getByRole("button", { name: "Say hello" }).waitFor();
    await page.getByLabel("Model", { exact: true }).selectOption("large");
    await page.getByLabel("Mode", { exact: true }).selectOption("plan");
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByRole("textbox", { name: "System prompt" }).fill("Be brief.");
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await send(page, "hello");
    await ended(page, "done");
    expect(requests[0]).toMatchObject({ agent: "rich", model: "large", mode: "plan", system: "Be brief." });
    await page.reload();
    await page.getByRole("combobox", { name: "Agent" }).selectOption("plain");
    expect(await page.getByLabel("Mode", { exact: true }).count()).toBe(0);
    await page.getByRole("button", { name: "And then?" }).click();
    await page.locator("article").nth(3).waitFor();
    await ended(page, "done");
    expect(requests[1]).toMatchObject({ agent: "plain", system: "Be brief." });
    expect(requests[1]).not.toHaveProperty("model");
    expect(requests[1]).not.toHaveProperty("mode");
  });

  test("permissions of embeds are stored in the same format as before, and are the same in every tab", async () => {
    const page = await open(await serve());
    await page.evaluate(() => {
      localStorage.setItem("runcast.settings", "{ broken");
      localStorage.setItem("runcast.embed-permissions", '["popups","same-origin"]');
      localStorage.setItem("runcast.origins", '{"helper":["https://a.example"]}');
    });
    await page.reload();
    const other = await openBeside(page, page.url());
    for (const tab of [page, other]) await tab.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByText("may reach https://a.example").waitFor();
    expect(await page.getByLabel("Open new windows").isChecked()).toBe(true);
    expect(await page.getByLabel("Submit forms").isChecked()).toBe(false);
    await page.getByLabel("Submit forms").check();
    await page.getByRole("button", { name: "Forget" }).click();
    await expect.poll(() => other.getByLabel("Submit forms").isChecked()).toBe(true);
    await other.getByText("may reach").waitFor({ state: "detached" });
    expect(await page.evaluate(() => ({ ...localStorage }))).toMatchObject({
      "runcast.embed-permissions": '["popups","forms"]',
      "runcast.origins": "{}",
    });
  });

  test("MCP servers are added, tested and switched; their keys are sent as secrets", async () => {
    const { source, requests } = recorder();
    const url = await serve(source, {
      validateServer: async ({ url: asked, key }) => {
        if (key !== "open sesame") throw new Error(`${new URL(asked).host} wants a key`);
        return [{ name: "forecast" }, { name: "tides" }];
      },
    });
    const page = await open(url);
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    const add = page.getByRole("button", { name: "Add and test" });
    await page.getByLabel("Address", { exact: true }).fill("weather");
    await add.click();
    await page.getByText("The address must start with https:// or http://.").waitFor();
    await page.getByLabel("Address", { exact: true }).fill("https://weather.example/mcp");
    await page.getByLabel("Name", { exact: true }).fill("weather");
    await add.click();
    await page.getByText(/weather\.example wants a key.*It is off\.$/i).waitFor();
    await expect.poll(() => page.getByLabel(/^weather/).isChecked()).toBe(false);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove weather" }).click();
    await page.getByLabel("Address", { exact: true }).fill("https://weather.example/mcp");
    await page.getByLabel("Name", { exact: true }).fill("weather");
    await page.getByRole("textbox", { name: /^Key/ }).fill("open sesame");
    await add.click();
    await page.getByText("Works, 2 tools: forecast, tides").waitFor();
    await expect.poll(() => page.getByLabel(/^weather/).isChecked()).toBe(true);
    for (const address of ["http://127.0.0.1:4001/mcp", "http://127.0.0.1:4002/mcp"]) {
      await page.getByLabel("Address", { exact: true }).fill(address);
      await add.click();
      await page.getByRole("button", { name: `Remove ${new URL(address).host}` }).waitFor();
    }
    await expect.poll(() => page.getByText("It is off.").count()).toBe(2);
    await page.keyboard.press("Escape");
    await send(page, "hello");
    await ended(page, "done");
    expect(requests[0]).toMatchObject({
      servers: [{ name: "weather", url: "https://weather.example/mcp" }],
      secrets: { MCP_WEATHER_KEY: "open sesame" },
    });
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByLabel(/^weather/).uncheck();
    await page.keyboard.press("Escape");
    await send(page, "again");
    await page.locator("article").nth(3).waitFor();
    await ended(page, "done");
    expect(requests[1]).not.toHaveProperty("servers");
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain("sesame");
  });

  test("light, dark or the system's theme, in every tab", async () => {
    const url = await serve();
    const page = await open(url, { colorScheme: "light" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByRole("radiogroup", { name: "Appearance" }).getByText("Light", { exact: true }).click();
    expect(await ground()).toBe(light);
    await page.reload();
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    expect(await page.getByRole("radio", { name: "Light" }).isChecked()).toBe(true);
    await page.getByRole("radiogroup", { name: "Appearance" }).getByText("Dark", { exact: true }).click();
    await page.emulateMedia({ colorScheme: "light" });
    expect(await ground()).toBe(dark);
    expect(await violations(page)).toEqual([]);
  });

  test("the composer keeps its shape between two columns", async () => {
    const page = await open(await serve(demoAgent({ speed: 1 })), { viewport: { width: 1024, height: 700 } });
    await page.getByRole("button", { name: "Tools", exact: true }).click();
    await send(page, "Start something slow that I can stop");
    const form = page.locator("form").filter({ has: composer(page) });
    const boxOf = async (name: string) => (await form.getByRole("button", { name }).boundingBox())!;
    await form.getByRole("button", { name: "Stop the run" }).waitFor();
    const [stop, queue, all] = [await boxOf("Stop the run"), await boxOf("Queue message"), await form.boundingBox()];
    expect(stop.y).toBe(queue.y);
    expect(all!.x + all!.width - (queue.x + queue.width)).toBeLessThan(16);
    expect(all!.height).toBeLessThan(110);
    await form.getByRole("button", { name: "Stop the run" }).click();
    await ended(page, "cancelled");
  });

  test("fits a phone: nothing is wider than the screen, and columns cover the conversation", async () => {
    const page = await open(await serve(), { viewport: { width: 390, height: 700 }, hasTouch: true });
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await page.getByRole("button", { name: "Show me a failing tool" }).waitFor();
    expect(await page.getByRole("complementary").count()).toBe(0);
    expect(await overflow()).toBeLessThanOrEqual(0);
    await send(page, "How is Lantern doing?");
    await ended(page, "done");
    expect(await overflow()).toBeLessThanOrEqual(0);
    await page.getByRole("button", { name: "Conversations", exact: true }).click();
    await page.getByRole("complementary", { name: "Conversations" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("complementary").waitFor({ state: "detached" });
    const toolsButton = page.getByRole("button", { name: "Tools", exact: true });
    await toolsButton.click();
    await page.keyboard.press("Escape");
    await page.getByRole("complementary").waitFor({ state: "detached" });
    expect(await toolsButton.evaluate((button) => button === document.activeElement)).toBe(true);
    await toolsButton.click();
    await page.getByRole("region", { name: "Tools" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Close Tools" }).click();
    await page.getByRole("complementary").waitFor({ state: "detached" });
    await toolsButton.click();
    await page
      .getByRole("complementary", { name: "Tools" })
      .getByRole("button", { name: /failed weather_lookup/ })
      .click();
    await page.getByRole("complementary").waitFor({ state: "detached" });
    expect(await overflow()).toBeLessThanOrEqual(0);
  });
});
