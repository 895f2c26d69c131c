import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { agent } from "../../src/sources/agent.ts";
import { defineTool } from "../../src/tool.ts";
import { type Browsing, describeInBrowser, ended, send, violations } from "../browsing.ts";
import { playing, script } from "../drive.ts";

describeInBrowser("code that a tool has the page run", ({ serve, open, mistakes }: Browsing) => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  const asking = (code: string, got: unknown[]) => {
    const tool = defineTool({
      name: "measure",
      description: "Measures the page.",
      input: z.object({}),
      run: async (_, context) => {
        got.push((await context.execute(code)) ?? "nothing");
        return "measured";
      },
    });
    const { model } = playing(script("go", [{ call: "measure" }], [{ say: "That is all." }]));
    return agent({ name: "demo", model, tools: [tool] });
  };

  test("runs if the user agrees, isolated from page, server and network, and returns its value", async () => {
    const asked: string[] = [];
    const evil = createServer((request, response) => {
      asked.push(request.url!);
      response.writeHead(200, { "access-control-allow-origin": "*" }).end();
    });
    servers.push(evil);
    await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
    const elsewhere = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/`;
    const got: unknown[] = [];
    const code = `const refused = [];
      for (const [name, reach] of [["network", () => fetch("${elsewhere}")], ["server", () => fetch("/runs")],
        ["page", () => parent.document.title], ["storage", () => localStorage.length]])
        try { await reach(); } catch { refused.push(name); }
      return { refused, sum: [1, 2, 3].reduce((a, b) => a + b) };`;
    const page = await open(await serve(asking(code, got)));
    await send(page, "go");
    const run = page.getByRole("button", { name: "Run", exact: true }).first();
    await run.waitFor();
    expect(got).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await run.click();
    await ended(page, "done");
    expect(got).toEqual([{ refused: ["network", "server", "page", "storage"], sum: 6 }]);
    expect(asked).toEqual([]);
    expect(mistakes().filter((text) => !/Content Security Policy/.test(text))).toEqual([]);
  });

  test("shows what failed, and can be declined", async () => {
    const got: unknown[] = [];
    const page = await open(await serve(asking("throw new Error('no such thing </script>')", got)));
    await send(page, "go");
    await page.getByRole("button", { name: "Run", exact: true }).first().click();
    await page.getByText("The code failed: no such thing </script>").first().waitFor();
    await page.getByRole("button", { name: "Decline" }).first().click();
    await ended(page, "done");
    expect(got).toEqual(["nothing"]);
  });
});
