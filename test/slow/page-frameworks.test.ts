import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pythonAgents, pythonOf } from "../../scripts/install-agents/python-agents.ts";
import { agUi } from "../../src/dialects/ag-ui.ts";
import type { Source } from "../../src/source.ts";
import { agno } from "../../src/sources/agno.ts";
import { aiSdk } from "../../src/sources/ai-sdk.ts";
import { http } from "../../src/sources/http.ts";
import { langgraph } from "../../src/sources/langgraph.ts";
import * as agentOs from "../agno/server.ts";
import { scriptedAgent } from "../ai-sdk-agent.ts";
import { describeInBrowser, ended, send } from "../browsing.ts";
import { absent } from "../components.ts";
import { startModel } from "../frameworks/model.ts";
import * as graphs from "../langgraph/server.ts";
import { servePydantic } from "../pydantic-ai/serve.ts";

interface Started {
  readonly source: Source;
  close(): Promise<void>;
}

interface Framework {
  readonly name: string;
  /** The Python that has it installed. Undefined if there is none. Null if it needs no Python. */
  readonly python: string | undefined | null;
  start(): Promise<Started>;
  /** The message with which the agent works, then asks, and what is shown before and after the answer. */
  readonly message: string;
  readonly before: readonly string[];
  readonly asks: number;
  /** Whether a sub-agent asks. */
  readonly asksBelow?: true;
  readonly after: string;
}

const pydanticPython = pythonOf(pythonAgents.find(({ name }) => name === "pydantic-ai")!);

/** A framework's server with the scripted model, whose folder is removed at the end. */
const withModel = async (
  { folder, remove }: ReturnType<typeof graphs.graphsFolder>,
  start: (modelUrl: string, folder: string) => ReturnType<typeof agentOs.startAgentOs>,
  sourceOf: (url: string) => Source,
): Promise<Started> => {
  const model = await startModel();
  const server = await start(model.url, folder);
  const close = async () => {
    await server.kill();
    await model.close();
    remove();
  };
  return { source: sourceOf(server.url), close };
};

const FRAMEWORKS: readonly Framework[] = [
  {
    name: "pydantic-ai",
    python: pydanticPython,
    start: async () => {
      const server = await servePydantic(pydanticPython!);
      return { source: http({ dialect: agUi, url: server.url, path: () => "" }), close: server.close };
    },
    message: "Write to Ann and Bob, and look up the weather: MAILS",
    before: ["send_mail", "get_weather"],
    asks: 2,
    after: "Those were the mails.",
  },
  {
    name: "ai-sdk",
    python: null,
    start: async () => ({ source: aiSdk(scriptedAgent().agent), close: async () => {} }),
    message: "mails",
    before: ["mail", "clock"],
    asks: 2,
    after: "Done.",
  },
  {
    name: "agno",
    python: agentOs.python,
    start: () => withModel(agentOs.serverFolder(), agentOs.startAgentOs, (url) => agno({ url, agent: "solo" })),
    message: "Write to Ann and Bob, and look up the weather: BOTH",
    before: ["Two mails and the weather.", "send_mail", "get_weather"],
    asks: 2,
    after: "Both mails are sent.",
  },
  {
    name: "langgraph",
    python: graphs.python,
    start: () =>
      withModel(graphs.graphsFolder(), graphs.startLangGraph, (url) => langgraph({ url, assistant: "deep" })),
    message: "Let a researcher write to Ann: ASKBELOW",
    before: ["A helper will do it.", "researcher", "I need your approval.", "send_mail"],
    asks: 1,
    asksBelow: true,
    after: "My helper is back.",
  },
];

const isWanted = process.env.RUNCAST_PICTURES === "1";
const VIEW = { viewport: { width: 800, height: 960 }, deviceScaleFactor: isWanted ? 2 : 1 };

/** Takes a screenshot of docs/agents.md, if requested with RUNCAST_PICTURES=1. */
const picture = async (page: Page, name: string): Promise<void> => {
  if (!isWanted) return;
  const directory = path.join(import.meta.dirname, "../../docs/pictures/agents");
  mkdirSync(directory, { recursive: true });
  await page.screenshot({ path: path.join(directory, `${name}.png`), animations: "disabled" });
};

describeInBrowser("agents of other frameworks, on the page", ({ serve, open }) => {
  for (const { name, python, start, message, before, asks, asksBelow, after } of FRAMEWORKS) {
    if (python === undefined) {
      absent(name, `not installed: npm run agents -- ${name}`);
      continue;
    }
    describe(name, { timeout: 60_000 }, () => {
      let started: Started;
      beforeAll(async () => {
        started = await start();
      }, 150_000);
      afterAll(() => started?.close());

      test("shows its calls and approvals, and continues with the answers", async () => {
        const page = await open(await serve(started.source), VIEW);
        await send(page, message);
        // Not in the message, which may contain the same words.
        for (const text of before) await page.locator("[data-node]").getByText(text).first().waitFor();
        const calls = page.locator(asksBelow ? "[data-agent] [data-call]" : "[data-call]");
        const allow = calls.getByRole("button", { name: "Allow", exact: true });
        await allow.first().waitFor();
        await picture(page, name);
        for (let left = asks; left > 0; left--) {
          await expect.poll(() => allow.count(), { timeout: 20_000 }).toBe(left);
          await allow.first().click();
        }
        await ended(page, "done");
        await page.getByText(after).first().waitFor();
        expect(await allow.count()).toBe(0);
      });
    });
  }
});
