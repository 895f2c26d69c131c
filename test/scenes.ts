import type { Page } from "playwright-core";
import type { ServerOptions } from "../src/server.ts";
import { composer, ended, send } from "./chatting.ts";

/** A state of the page that is worth a picture, and how to reach it. */
export interface Scene {
  readonly name: string;
  /** The alternative text. */
  readonly shows: string;
  readonly sizes: readonly ("desk" | "phone")[];
  /** The demo's speed: slow if something must still be running in the picture. Default: 30. */
  readonly speed?: number;
  /** The keys with which users sign in. Default: none, so anyone can use the server. */
  readonly keys?: ServerOptions["keys"];
  /** `pull` disconnects the page from the server. */
  readonly play: (page: Page, pull: () => void) => Promise<void>;
}

/** Options of a browser context. */
export const SIZES = {
  desk: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true },
} as const;

const openTools = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: "Tools", exact: true }).click();
  await page.getByRole("region", { name: "Tools" }).waitFor();
};

/** Starts a run with a plain request, as another client does. */
const begin = async (
  page: Page,
  body: { readonly message: string; readonly [field: string]: unknown },
  headers: Record<string, string> = {},
) => {
  const { status } = await page.evaluate(async (init) => ({ status: (await fetch("runs", init)).status }), {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (status !== 202) throw new Error(`${body.message}: HTTP ${status}`);
};

const ANN = { name: "ann", key: "the-key-of-ann" };

const openBoard = async (page: Page): Promise<void> => {
  // Runs of several users, started by a front end that acts for them.
  for (const [name, message] of [
    ["Ann", "Just answer: is the release out?"],
    ["Bob", "Show me a failing tool"],
    ["Ann", "What is the weather in Lisbon?"],
    ["Mei", "Send the report, but ask for my approval first"],
    ["Bob", "Start something slow that I can stop"],
    ["Mei", "Run the checks"],
  ] as const)
    await begin(page, { message, user: { id: name.toLowerCase(), name } });
  await page.getByRole("button", { name: "All runs" }).click();
  await page.getByRole("button", { name: "Answer Send the report" }).first().waitFor();
};

export const scenes: readonly Scene[] = [
  {
    name: "start",
    shows: "the page before the first message: what the agent can do, and messages to try",
    sizes: ["desk", "phone"],
    play: async (page) => {
      await page.getByRole("button", { name: "Show me a failing tool" }).waitFor();
    },
  },
  {
    name: "run",
    speed: 1,
    shows: "a run at work: finished tools folded into one row, one that failed, and a sub-agent that is reading notes",
    sizes: ["desk", "phone"],
    play: async (page) => {
      await send(page, "How is Lantern doing?");
      await page.locator("[data-kind=agent]").first().waitFor();
      await page.getByText("Could not get the weather").first().waitFor();
    },
  },
  {
    name: "agents",
    speed: 1,
    shows: "three sub-agents side by side, and their calls on a time axis",
    sizes: ["desk"],
    play: async (page) => {
      await openTools(page);
      await page.getByRole("button", { name: "Timeline" }).click();
      await send(page, "Start three sub-agents in parallel");
      await page.locator("[data-kind=agent]").nth(2).waitFor();
    },
  },
  {
    name: "outline",
    shows: "the outline of a conversation: its steps with their tokens, a sub-agent, and a call that failed",
    sizes: ["desk", "phone"],
    play: async (page) => {
      await send(page, "How is Lantern doing?");
      await ended(page, "done");
      await page.getByRole("button", { name: "Outline" }).click();
      await page.getByRole("region", { name: "Outline" }).getByRole("button", { name: "Failures 1" }).waitFor();
    },
  },
  {
    name: "history",
    shows: "a conversation that was started on another device, and the user's other conversations",
    sizes: ["desk", "phone"],
    keys: [ANN],
    play: async (page) => {
      for (const [index, message] of [
        "Show me a failing tool",
        "What is the weather in Lisbon?",
        "Start three sub-agents in parallel",
        "Just answer: is the release out?",
      ].entries())
        await begin(page, { message, thread: `${index}` }, { authorization: `Bearer ${ANN.key}` });
      await page.getByLabel("Key or token").fill(ANN.key);
      await page.keyboard.press("Enter");
      await composer(page).waitFor();
      const isNarrow = page.viewportSize()!.width < 1024;
      const conversations = page.getByRole("navigation", { name: "Conversations" });
      const openList = () => page.getByRole("button", { name: "Conversations", exact: true }).click();
      if (isNarrow) await openList();
      await conversations.getByRole("listitem").getByText("Just answer").click();
      await ended(page, "done");
      if (isNarrow) await openList();
    },
  },
  {
    name: "approval",
    shows: "a call that waits for approval: its arguments, Allow, Deny and Edit",
    sizes: ["desk", "phone"],
    play: async (page) => {
      await send(page, "Send the report, but ask for my approval first");
      await page
        .getByRole("button", { name: /^Allow/ })
        .first()
        .waitFor();
    },
  },
  {
    name: "output",
    speed: 1,
    shows: "a running tool with its progress and its output, and a message that waits in the queue",
    sizes: ["desk"],
    play: async (page) => {
      await send(page, "Run the checks");
      await page.locator("progress, [role=progressbar]").first().waitFor();
      await send(page, "And what about the weather?");
      await page.getByRole("region", { name: "Queued messages" }).waitFor();
    },
  },
  {
    name: "answer",
    shows: "a finished answer with its tools, its latencies and its tokens",
    sizes: ["desk", "phone"],
    play: async (page) => {
      await send(page, "How is Lantern doing?");
      await ended(page, "done");
    },
  },
  {
    name: "lost",
    shows: "a run whose connection is lost: the spinners have stopped, and the page shows when it retries",
    sizes: ["desk"],
    speed: 1,
    play: async (page, pull) => {
      await send(page, "Start something slow that I can stop");
      await page.getByRole("button", { name: /Stop watch_deploy/ }).waitFor();
      pull();
      await page.locator("[data-connection=reconnecting]").waitFor();
    },
  },
  {
    name: "replay",
    shows: "a run played again: the scrubber in its middle, and the state as it was then",
    sizes: ["desk"],
    play: async (page) => {
      await send(page, "How is Lantern doing?");
      await ended(page, "done");
      await page.getByRole("button", { name: "Replay" }).click();
      const slider = page.getByRole("slider").first();
      await slider.waitFor();
      await slider.press("Home");
      for (let step = 0; step < 7; step++) await slider.press("PageUp");
    },
  },
  {
    name: "board",
    shows:
      "all runs of the server: at work, waiting for approval and done, each with who started it and how long it takes",
    sizes: ["desk", "phone"],
    speed: 3,
    play: async (page) => {
      await openBoard(page);
      await page.getByRole("list", { name: "Runs" }).getByText("done").nth(1).waitFor();
    },
  },
  {
    name: "board-answer",
    shows: "an approval answered from the list of runs, with the arguments of its call",
    sizes: ["desk", "phone"],
    speed: 3,
    play: async (page) => {
      await openBoard(page);
      await page.getByRole("button", { name: "Answer Send the report" }).first().click();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: /^Allow/ })
        .first()
        .waitFor();
    },
  },
  {
    name: "board-empty",
    shows: "the list of runs before there is one",
    sizes: ["desk"],
    play: async (page) => {
      await page.getByRole("button", { name: "All runs" }).click();
      await page.getByText("No runs yet.").waitFor();
    },
  },
  {
    name: "board-lost",
    shows: "the list of runs when the server is gone: the rows stay, and their durations no longer change",
    sizes: ["desk"],
    speed: 3,
    play: async (page, pull) => {
      await openBoard(page);
      pull();
      await page.getByText("Not up to date").waitFor();
    },
  },
  {
    name: "settings",
    shows: "the settings: system prompt, MCP servers, embedded documents, appearance",
    sizes: ["desk", "phone"],
    play: async (page) => {
      await page.getByRole("button", { name: "Settings", exact: true }).click();
      await page.getByRole("dialog", { name: "Settings" }).waitFor();
    },
  },
  {
    name: "keys",
    shows: "the list of keyboard shortcuts",
    sizes: ["desk"],
    play: async (page) => {
      await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    },
  },
];
