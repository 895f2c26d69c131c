import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { demo } from "../../../../src/models/demo.ts";
import { agent } from "../../../../src/sources/agent.ts";
import { type Tool, defineTool } from "../../../../src/tool.ts";
import type { ChatPage } from "../chat-page.ts";
import { CLIENT, type IdentityProvider, startIdentityProvider } from "../identity-provider.ts";
import { describeLive } from "../installed.ts";
import { useLive } from "../live.ts";

const PIPE = readFileSync(path.join(import.meta.dirname, "../../../../pipe/runcast_pipe.py"), "utf8");

const showToken = defineTool({
  name: "show_token",
  description: "Shows the user's token.",
  input: z.object({}),
  run: (_, { credentials }) => credentials("OPEN_WEBUI_TOKEN") ?? "none",
});

const guard = agent({
  description: "Shows tokens.",
  model: demo({
    speed: 4,
    stories: [
      {
        name: "token",
        message: "Token",
        description: "two calls, one after the other, that read the user's token",
        matches: ({ message }) => message.startsWith("Token"),
        steps: [
          () => [{ call: "show_token", input: {} }],
          () => [{ call: "show_token", input: {} }],
          ({ resultsOf }) => [{ say: `I have ${resultsOf("show_token").slice(-2).join(" and ")}.` }],
        ],
      },
    ],
  }),
  tools: [showToken as Tool],
});

describeLive("the token of a user who signed in with OAuth", ({ program }) => {
  let provider: IdentityProvider;
  const live = useLive(program, { guard }, async () => {
    provider = await startIdentityProvider();
    return {
      ENABLE_OAUTH_SIGNUP: "true",
      OAUTH_MERGE_ACCOUNTS_BY_EMAIL: "true",
      OAUTH_CLIENT_ID: CLIENT.id,
      OAUTH_CLIENT_SECRET: CLIENT.secret,
      OPENID_PROVIDER_URL: `${provider.url}/.well-known/openid-configuration`,
    };
  });
  afterAll(() => provider.close());

  const tokens = async (chat: ChatPage, message: string): Promise<string[]> => {
    await chat.send(message);
    await chat.answer.getByText(/^I have .* and .*\.$/).waitFor();
    await chat.finished();
    const [, first, second] = /I have (\S+) and (\S+)\./.exec((await chat.lines()).join("\n")) ?? [];
    return [first ?? "", second ?? ""];
  };
  const numberOf = (token: string | undefined): number => Number(/^access-(\d+)$/.exec(token ?? "")?.[1]);

  test("reaches tools through the pipe, is renewed for the next message, and stays the same within a run", async () => {
    await live.account.install("runcast", PIPE, { RUNCAST_URL: live.runcast });
    const before = await live.open({ model: "runcast.guard" });
    expect(await tokens(before, "Token, please")).toEqual(["none", "none"]);

    const page = await before.page.context().newPage();
    await page.goto(`${live.openWebUi.url}/oauth/oidc/login`);
    await page.locator("#chat-input").waitFor();

    const chat = await live.open({ model: "runcast.guard" });
    const first = await tokens(chat, "Token, please");
    const second = await tokens(chat, "Token again, please");
    expect(numberOf(first[0])).toBeGreaterThanOrEqual(1);
    expect(numberOf(second[0])).toBeGreaterThan(numberOf(first[0]));
    for (const [start, end] of [first, second]) expect(end).toBe(start);
  });
});
