import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { demo } from "../../../../src/models/demo.ts";
import { agent } from "../../../../src/sources/agent.ts";
import { type Tool, defineTool } from "../../../../src/tool.ts";
import { describeLive } from "../installed.ts";
import { useLive } from "../live.ts";
import { picture } from "../picture.ts";

const PIPE = readFileSync(path.join(import.meta.dirname, "../../../../pipe/runcast_pipe.py"), "utf8");

/** Only the page of Open WebUI has this element, and only it can be marked so that the test sees it. */
const CODE = `
  const input = await Promise.resolve(document.querySelector("#chat-input"));
  document.documentElement.dataset.visited = "yes";
  return { hasInput: input !== null, language: navigator.language };
`;

const visit = defineTool({
  name: "visit",
  description: "Looks at the user's page.",
  input: z.object({}),
  run: async (_, { execute }) => JSON.stringify((await execute(CODE)) ?? "nothing"),
});

const visitor = agent({
  description: "Looks at the page.",
  model: demo({
    speed: 4,
    stories: [
      {
        name: "visit",
        message: "Visit",
        description: "code that runs in the user's page",
        matches: ({ message }) => message === "Visit",
        steps: [() => [{ call: "visit", input: {} }], ({ results }) => [{ say: `I saw \`${results[0]?.text}\`` }]],
      },
    ],
  }),
  tools: [visit as Tool],
});

describeLive("code for the user's page", ({ program }) => {
  const live = useLive(program, { visitor });
  beforeAll(async () => {
    await live.account.connect();
    for (const [id, ALLOW_EXECUTE] of [
      ["trusting", true],
      ["careful", false],
    ] as const)
      await live.account.install(id, PIPE, { RUNCAST_URL: live.runcast, ALLOW_EXECUTE });
  }, 60_000);

  test.each(["native", "legacy"] as const)("runs there through the pipe, and returns its value: %s", async (mode) => {
    await live.account.setModel("trusting.visitor", { mode });
    const chat = await live.open({ model: "trusting.visitor" });
    await chat.send("Visit");
    await chat.answer.getByText(`I saw {"hasInput":true,"language":"en-US"}`).waitFor();
    await chat.finished();
    expect(await chat.page.evaluate(() => document.documentElement.dataset["visited"])).toBe("yes");
    await picture(chat, "execute");
  });

  test("does not run there unless the administrator allows it: the chat links to the page that asks first", async () => {
    const chat = await live.open({ model: "careful.visitor" });
    await chat.send("Visit");
    await chat.answer.locator('a[href*="?run="]').first().waitFor();
    await chat.answer.getByText("Run JavaScript from visit?", { exact: true }).waitFor();
    expect(await chat.page.evaluate(() => document.documentElement.dataset["visited"])).toBeUndefined();
    await picture(chat, "execute-link");
  });
});
