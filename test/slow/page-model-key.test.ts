import type { Page } from "playwright-core";
import { afterEach, expect, test, vi } from "vitest";
import { provider } from "../../src/models/provider.ts";
import { agent } from "../../src/sources/agent.ts";
import { type Browsing, composer, describeInBrowser, ended, send, violations } from "../browsing.ts";
import { says } from "../model-server.ts";
import { refuses, startScriptedServer } from "../scripted-server.ts";
import { onStop } from "../serving.ts";

afterEach(() => vi.unstubAllEnvs());

const VARIABLE = "OPENAI_API_KEY";
const RIGHT = "sk-right-0123456789";
const WRONG = "sk-wrong-0123456789";

/** A provider that accepts only the right key. */
const startProvider = async () => {
  const server = await startScriptedServer((response, request) =>
    (request.headers.authorization === `Bearer ${RIGHT}`
      ? says("It rains.")
      : refuses(401, { message: "Incorrect API key provided" }))(response, request),
  );
  onStop(server.close);
  return { server, keys: () => server.requests.map(({ headers }) => headers.authorization) };
};

const PHONE = { viewport: { width: 390, height: 800 }, hasTouch: true, colorScheme: "dark" } as const;

const answer = (page: Page) => page.locator("article").getByText("It rains.");

describeInBrowser("a model whose key the server does not have", ({ serve, open }: Browsing) => {
  const start = async (options: object = {}) => {
    vi.stubEnv(VARIABLE, undefined);
    const { server, keys } = await startProvider();
    const models = provider({ openai: { baseUrl: server.url } });
    const writer = agent({ model: "openai-chat/large", provider: models, suggestions: ["How is the weather?"] });
    const free = agent({
      model: "ollama/free",
      provider: provider({ compatible: { ollama: { baseUrl: server.url } } }),
    });
    const url = await serve(undefined, { agents: { writer, free }, ...options });
    return { url, keys };
  };

  test.each([
    ["light", { colorScheme: "light" }],
    ["dark, on a phone", PHONE],
  ] as const)("is used with the key that the page asks for, by keyboard: %s", async (_, look) => {
    const { url, keys } = await start();
    const page = await open(url, look);
    const form = page.getByRole("form", { name: `This model needs ${VARIABLE}` });
    const field = form.getByLabel(VARIABLE);
    await field.waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);

    await field.focus();
    await page.keyboard.press("Enter");
    await form.getByText("Enter the key.").waitFor();
    await page.keyboard.type("two words");
    await page.keyboard.press("Enter");
    await form.getByText("A key cannot contain spaces").waitFor();
    expect(await violations(page)).toEqual([]);
    await field.fill("");
    await page.keyboard.type(RIGHT);
    await page.keyboard.press("Enter");
    await form.waitFor({ state: "detached" });
    expect(await composer(page).evaluate((element) => element === document.activeElement)).toBe(true);

    await page.keyboard.type("How is the weather?");
    await page.keyboard.press("Enter");
    await answer(page).waitFor();
    await ended(page, "done");
    expect(keys()).toEqual([`Bearer ${RIGHT}`]);
    // The tab keeps it, and nothing else does.
    const kept = await page.evaluate(async () => {
      const databases = await indexedDB.databases();
      const stored: unknown[] = [{ ...localStorage }, document.cookie, location.href];
      for (const { name } of databases) {
        const database = await new Promise<IDBDatabase>((resolve) => {
          const opening = indexedDB.open(name!);
          opening.addEventListener("success", () => resolve(opening.result));
        });
        for (const store of database.objectStoreNames)
          stored.push(
            await new Promise((resolve) => {
              const reading = database.transaction(store).objectStore(store).getAll();
              reading.addEventListener("success", () => resolve(reading.result));
            }),
          );
        database.close();
      }
      return JSON.stringify(stored);
    });
    expect(kept).toContain("How is the weather?");
    expect(kept).not.toContain(RIGHT);
    await page.reload();
    await answer(page).waitFor();
    await send(page, "And tomorrow?");
    await expect.poll(keys).toEqual([`Bearer ${RIGHT}`, `Bearer ${RIGHT}`]);
    await ended(page, "done");
    expect(await form.count()).toBe(0);
  });

  test("goes only with runs of the agents that need it, and can be removed and entered in the settings", async () => {
    const { url, keys } = await start();
    const page = await open(url);
    await page.getByRole("form", { name: /needs/ }).waitFor();
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    const settings = page.getByRole("region", { name: "Model keys" });
    await settings.getByLabel(VARIABLE, { exact: true }).fill(RIGHT);
    await page.keyboard.press("Enter");
    const remove = settings.getByRole("button", { name: `Remove ${VARIABLE}` });
    await settings.getByText("In this tab, for writer").waitFor();
    await expect.poll(() => remove.evaluate((button) => button === document.activeElement)).toBe(true);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await page.getByRole("form", { name: /needs/ }).count()).toBe(0);

    const sent: string[][] = [];
    page.on("request", (request) => {
      const isStart = request.method() === "POST" && new URL(request.url()).pathname === "/runs";
      const headers = Object.entries(request.headers());
      if (isStart) sent.push(headers.flatMap(([name, value]) => (name.startsWith("runcast-secret-") ? [value] : [])));
    });
    await page.getByRole("combobox", { name: "Agent" }).selectOption("free");
    await send(page, "hello");
    await ended(page, "error");
    expect(keys()).toEqual([undefined]);
    await page.getByRole("combobox", { name: "Agent" }).selectOption("writer");
    await send(page, "How is the weather?");
    await answer(page).waitFor();
    expect(keys()).toEqual([undefined, `Bearer ${RIGHT}`]);
    expect(sent).toEqual([[], [RIGHT]]);

    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await remove.click();
    await settings.getByText(`${VARIABLE} for openai-chat/large`).waitFor();
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain(RIGHT);
    await page.keyboard.press("Escape");
    await page.getByRole("form", { name: `This model needs ${VARIABLE}` }).waitFor();
  });

  test("a run that was refused without it, and one whose key was rejected, ask for it and run again", async () => {
    const { url, keys } = await start();
    const page = await open(url);
    await page.getByRole("button", { name: "How is the weather?" }).click();
    await page.getByText(/needs a key, but OPENAI_API_KEY is not set/).waitFor();
    const missing = page.getByRole("form", { name: `This model needs ${VARIABLE}` });
    await missing.getByLabel(VARIABLE).fill(WRONG);
    await missing.getByRole("button", { name: "Use key and try again" }).click();
    await ended(page, "error");
    const rejected = page.getByRole("form", { name: `This model needs a valid ${VARIABLE}` });
    await rejected.waitFor();
    expect(await page.getByText("A retry would not help").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await rejected.getByLabel(VARIABLE).fill(RIGHT);
    await page.keyboard.press("Enter");
    await answer(page).waitFor();
    await ended(page, "done");
    expect(await page.getByRole("form", { name: VARIABLE }).count()).toBe(0);
    expect(keys()).toEqual([`Bearer ${WRONG}`, `Bearer ${RIGHT}`]);
  });
});
