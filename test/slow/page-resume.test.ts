import { expect, test } from "vitest";
import { z } from "zod";
import { describeAgent, type Source } from "../../src/source.ts";
import { agent } from "../../src/sources/agent.ts";
import { defineTool } from "../../src/tool.ts";
import { type Browsing, describeInBrowser, ended, send, violations } from "../browsing.ts";
import { playing, script } from "../drive.ts";

const RESUME = "Continue where you stopped. Do not repeat calls that have finished.";
const LABEL = "Continue from the failed step";
const fail = { fail: { status: 529, message: "overloaded" } };

/** An agent that fails once after its tool has run, and the messages that the tool sent. */
const failing = () => {
  const sent: string[] = [];
  const post = defineTool({
    name: "post",
    description: "",
    input: z.object({ text: z.string() }),
    run: ({ text }) => void sent.push(text),
  });
  const erase = defineTool({
    name: "erase",
    description: "",
    input: z.object({}),
    run: () => void sent.push("erased"),
  });
  const { model, requests } = playing(
    script("go", [{ call: "post", input: { text: "hello" }, id: "provider-id" }], [{ say: "It is po" }, fail]),
    script(RESUME, [{ say: "It is posted." }]),
  );
  const modes = { careful: { tools: ["post"] } };
  return { sent, requests, source: agent({ model, tools: [post, erase], modes }) };
};

describeInBrowser("continue from a failed step", ({ serve, open }: Browsing) => {
  test("no finished call runs again, in the same mode; by keyboard, after a reload", async () => {
    const { sent, requests, source } = failing();
    const page = await open(await serve(source));
    await send(page, "/careful go");
    await ended(page, "error");
    await page.reload();
    const resume = page.getByRole("button", { name: LABEL, exact: true });
    await page.getByRole("button", { name: "Try again", exact: true }).waitFor();
    await resume.focus();
    await page.keyboard.press("Enter");
    await ended(page, "done");
    expect(sent).toEqual(["hello"]);
    const [, failed, resumed] = requests;
    const asked = { role: "user", content: [{ type: "text", text: RESUME }] };
    expect(resumed!.prompt).toEqual([...failed!.prompt, asked]);
    expect(resumed!.tools).toEqual(failed!.tools);
    expect(resumed!.tools!.map(({ name }) => name)).toEqual(["post"]);
    await page.getByRole("article", { name: "You" }).getByText(RESUME).waitFor();
    expect(await page.locator("[data-run-end=error]").count()).toBe(1);
    expect(await resume.count()).toBe(0);
    expect(await violations(page)).toEqual([]);
  });

  test.each([
    ["light", { width: 1280, height: 800 }],
    ["dark", { width: 390, height: 780 }],
  ] as const)("both ways to go on are beside each other, in %s", async (colorScheme, viewport) => {
    const page = await open(await serve(failing().source), { colorScheme, viewport });
    await send(page, "go");
    await page.getByRole("button", { name: "Try again" }).waitFor();
    const both = page.getByRole("button", { name: /^(Continue from|Try again)/ });
    const tops = await both.evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().y));
    expect(tops).toHaveLength(2);
    expect(tops[0]).toBe(tops[1]);
    expect(await violations(page)).toEqual([]);
  });

  test.each(["Try again", LABEL])("two quick clicks on %s start one run", async (name) => {
    const url = await serve(failing().source);
    const page = await open(url);
    await send(page, "go");
    // Both before the first one is stored.
    await page.getByRole("button", { name, exact: true }).evaluate((button: HTMLElement) => {
      button.click();
      button.click();
    });
    const count = async () => ((await (await fetch(`${url}/runs`)).json()) as { runs: unknown[] }).runs.length;
    await expect.poll(count).toBeGreaterThan(1);
    await ended(page);
    expect(await count()).toBe(2);
  });

  test("a run that the user stopped continues where it stopped", async () => {
    const isRunning = Promise.withResolvers<void>();
    const wait = defineTool({
      name: "wait",
      description: "",
      input: z.object({}),
      run: async (_, { signal }) => {
        isRunning.resolve();
        await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
      },
    });
    const { model } = playing(script("go", [{ call: "wait" }]), script(RESUME, [{ say: "All good." }]));
    const page = await open(await serve(agent({ model, tools: [wait] })));
    await send(page, "go");
    await isRunning.promise;
    await page.keyboard.press("Escape");
    await ended(page, "cancelled");
    await page.getByRole("button", { name: "Continue where it stopped" }).click();
    await ended(page, "done");
  });

  test("an agent that may not read earlier calls does not offer it", async () => {
    const source: Source = async function* () {
      yield { type: "step-start", step: "s" };
      yield { type: "step-end", step: "s", finish: "tools" };
      yield { type: "run-end", outcome: "error", error: { code: "e", message: "no", retryable: true } };
    };
    const agents = { other: describeAgent(source, { suggestions: ["Do it"] }) };
    const page = await open(await serve(undefined, { agents }));
    // The page knows the agent.
    await page.getByRole("button", { name: "Do it" }).click();
    await page.getByRole("button", { name: "Try again" }).waitFor();
    expect(await page.getByRole("button", { name: LABEL }).count()).toBe(0);
  });
});
