import { once } from "node:events";
import { cpSync, symlinkSync } from "node:fs";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createSite } from "../../examples/embed/site.ts";
import { type Browsing, describeInBrowser, violations } from "../browsing.ts";
import { ended, occupyPort, root, useCommandLine } from "../command-line.ts";
import { onStop } from "../serving.ts";

describeInBrowser("the example that embeds a run", ({ serve, open }: Browsing) => {
  test("its page asks a question, and shows the run live with its own token", async () => {
    const key = "only-the-site-knows-this";
    const site = createSite({ url: await serve(undefined, { key }), key });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    onStop(() => site.close());
    const page = await open(`http://127.0.0.1:${(site.address() as AddressInfo).port}`);
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByText("The run ended: done").waitFor();
    await page.locator("run-view").getByText("You wrote: “How is Lantern doing?”.").waitFor();
    expect(await page.content()).not.toContain(key);
    expect(await violations(page)).toEqual([]);
  });
});

describe("starting the example that embeds a run", () => {
  const { run, home } = useCommandLine();
  const start = ["--import", "./scripts/own-name.mjs", "examples/embed/start.ts"];

  test("its port can be chosen", async () => {
    const child = run(start, { cwd: root, env: { PORT: "0" } });
    const [printed] = await once(child.stdout.setEncoding("utf8"), "data");
    expect(printed).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
    expect((await fetch(printed.trim())).status).toBe(200);
  });

  test("a port in use is reported, with how to choose another", async () => {
    const { port, close } = await occupyPort();
    onStop(close);
    expect(await ended(run(start, { cwd: root, env: { PORT: `${port}` } }))).toEqual({
      out: "",
      error: `port ${port} is in use; set PORT to choose another (0 picks a free one)\n`,
      code: 1,
    });
    const wrong = await ended(run(start, { cwd: root, env: { PORT: "http" } }));
    expect(wrong).toMatchObject({ error: "PORT must be a number from 0 to 65535, not http\n", code: 1 });
  });

  test("a missing build is reported, with how to build it", async () => {
    const clone = await home("clone");
    for (const part of ["src", "examples", "scripts/own-name.mjs", "package.json"])
      cpSync(path.join(root, part), path.join(clone, part), { recursive: true });
    symlinkSync(path.join(root, "node_modules"), path.join(clone, "node_modules"));
    const { error, code } = await ended(run(start, { cwd: clone }));
    expect([error, code]).toEqual(["the element was not built; build it with: npm run build\n", 1]);
  });
});
