import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import type { NamedAgent } from "../../src/source.ts";
import type { AskNode } from "../../src/state.ts";
import { ended, greeting, root, useCommandLine } from "../command-line.ts";
import { startScriptedServer } from "../scripted-server.ts";
import { onStop } from "../serving.ts";

const chunks = (response: ServerResponse, ...deltas: readonly object[]): void => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [index, delta] of deltas.entries()) {
    const isLast = index === deltas.length - 1;
    const finish_reason = isLast ? ("tool_calls" in delta ? "tool_calls" : "stop") : null;
    const chunk = {
      id: "c",
      object: "chat.completion.chunk",
      model: "llama3",
      choices: [{ index: 0, delta, finish_reason }],
    };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  response.end("data: [DONE]\n\n");
};

/** A server with Ollama's API and one model, which writes a file and then confirms it. */
const startOllama = async () => {
  const server = await startScriptedServer((response, { url, body }) => {
    if (url.endsWith("/models")) return void response.end(JSON.stringify({ data: [{ id: "llama3" }] }));
    const hasResult = body.includes('"role":"tool"');
    const input = { path: "haiku.txt", content: "Rain on the roof." };
    const call = {
      index: 0,
      id: "w1",
      type: "function",
      function: { name: "write_file", arguments: JSON.stringify(input) },
    };
    if (hasResult) chunks(response, { content: "It is in " }, { content: "haiku.txt." });
    else chunks(response, { content: "Let me write it." }, { tool_calls: [call] });
  });
  onStop(server.close);
  return server;
};

describe("the first minutes", () => {
  const { run, serve, runcast, home } = useCommandLine();

  test("with a model on this machine, one command is enough: an assistant that asks before it writes", async () => {
    const ollama = await startOllama();
    const cwd = await home("empty");
    // Read from .env, like a key.
    writeFileSync(path.join(cwd, ".env"), `OLLAMA_BASE_URL=${ollama.url}/v1\n`);
    const { printed, url } = await serve([], { cwd, env: { RUNCAST_MODEL: "" } });
    expect(printed).toContain("assistant  ollama/llama3");
    expect(printed).toContain(`because Ollama is running at ${ollama.url}/v1`);

    const client = createClient({ url });
    const handle = client.start({ message: "Write a haiku about rain" });
    const asks = () => [...handle.state.nodes.values()].filter((node): node is AskNode => node.kind === "ask");
    await expect.poll(() => asks().length).toBe(1);
    expect(existsSync(path.join(cwd, "workspace/haiku.txt"))).toBe(false);
    await handle.answer(asks()[0]!.id, { allow: true });
    expect(await handle.finished).toMatchObject({ outcome: "done" });
    expect(readFileSync(path.join(cwd, "workspace/haiku.txt"), "utf8")).toBe("Rain on the roof.");
    expect(ollama.requests.at(-1)!.body).toContain("haiku.txt");
  });

  test("a server whose model lacks its key starts, names the variable, and says that the page asks for it", async () => {
    const cwd = await home("keyless");
    const env = { OPENAI_API_KEY: "" };
    const { printed, url } = await serve(["--model", "openai/gpt-5"], { cwd, env });
    expect(printed).toMatch(
      /warning assistant: The model openai\/gpt-5 needs a key, but OPENAI_API_KEY is not set\. .* The page also asks for it\./,
    );
    const { agents } = (await (await fetch(`${url}/agents`)).json()) as { agents: readonly NamedAgent[] };
    expect(agents[0]).toMatchObject({
      name: "assistant",
      missingKeys: [{ variable: "OPENAI_API_KEY", model: "openai/gpt-5" }],
    });
  });

  test("what is not the name of a model is refused at startup", async () => {
    const { code, error } = await runcast(["serve", "--port", "0", "--model", "gpt-5"]);
    expect([code, error]).toEqual([expect.any(Number), expect.stringContaining("use <provider>/<model>")]);
    expect(code).not.toBe(0);
  });

  test("init writes a working configuration, shows the next steps, and overwrites nothing", async () => {
    const cwd = await home("init");
    const first = await runcast(["init"], { cwd });
    expect(first).toMatchObject({ code: 0, error: "" });
    expect(first.out).toContain("wrote runcast.config.ts and .env.example");
    expect(first.out).toContain("cp .env.example .env");
    expect(readFileSync(path.join(cwd, ".env.example"), "utf8")).toContain("ANTHROPIC_API_KEY=");
    expect(await runcast(["init"], { cwd })).toMatchObject({
      code: 1,
      error: expect.stringContaining("already exists"),
    });

    const ollama = await startOllama();
    symlinkSync(path.join(root, "node_modules"), path.join(cwd, "node_modules"));
    const named = path.join(root, "scripts/own-name.mjs");
    const env = { RUNCAST_MODEL: "ollama/llama3", OLLAMA_BASE_URL: `${ollama.url}/v1` };
    const child = run(["--import", named, path.join(root, "src/cli.ts"), "serve", "--port", "0"], { cwd, env });
    const { printed } = await greeting(child);
    expect(printed).toContain("assistant  ollama/llama3");
    expect(printed).toContain("runcast.config.ts");
    child.kill("SIGINT");
    expect((await ended(child)).code).toBe(0);
  });
});
