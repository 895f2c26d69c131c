import { describe, expect, test } from "vitest";
import { describeInBrowser } from "../browsing.ts";
import { GUIDES, readGuide } from "../guides/guide.ts";
import { walk } from "../guides/walk.ts";

describe.each(GUIDES)("the guide %s", (name) => {
  test("has as many steps as it promises, in order, and ends with the next ones", () => {
    const { promised, titles, hasNext } = readGuide(name);
    expect(titles.length).toBeGreaterThan(2);
    expect(promised).toBe(titles.length);
    expect(titles.map((title) => Number.parseInt(title, 10))).toEqual(titles.map((_, index) => index + 1));
    expect(hasNext).toBe(true);
  });
});

describeInBrowser("a newcomer in a fresh clone", ({ open }) => {
  test.each(GUIDES)("follows the guide %s", { timeout: 180_000 }, async (name) => {
    const { url, headers } = await walk(name, open);
    if (name === "open-webui") await chatAsOpenWebUi(url, headers);
  });
});

/** The requests of Open WebUI. `npm run test:open-webui` follows the guide in Open WebUI itself. */
const chatAsOpenWebUi = async (url: string, headers: Readonly<Record<string, string>>): Promise<void> => {
  const chat = async (task: string) => {
    const sent = Object.entries(headers).map(([header, value]) => [header, value.includes("TASK") ? task : value]);
    const response = await fetch(`${url}/open-webui/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...Object.fromEntries(sent) },
      body: JSON.stringify({ model: "demo", stream: true, messages: [{ role: "user", content: "Just answer" }] }),
    });
    return await response.text();
  };
  const count = async (): Promise<number> => {
    const { runs } = (await (await fetch(`${url}/runs`)).json()) as { runs: unknown[] };
    return runs.length;
  };
  expect(Object.values(headers)).toContain("{{TASK}}");
  expect(await chat("")).toContain("[DONE]");
  expect(await count()).toBe(1);
  await chat("title_generation");
  expect(await count()).toBe(1);
};
