import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import { root, useCommandLine } from "../command-line.ts";

describe.each(["express", "hono"])("the example that mounts Runcast in %s", (example) => {
  const { run } = useCommandLine();

  test("serves the page and a run under its base path, next to the application's own pages", async () => {
    const child = run(["--import", "./scripts/own-name.mjs", `examples/${example}/app.ts`], {
      cwd: root,
      env: { PORT: "0" },
    });
    const [printed] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
    expect(printed).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/runcast\/\n$/);
    const url = printed.trim();
    const own = await fetch(new URL("/", url));
    expect(await own.text()).toContain('href="/runcast/"');
    expect(await (await fetch(url)).text()).toContain("<title>Runcast</title>");
    const handle = createClient({ url }).start({ message: "Use calculate" });
    expect((await handle.finished).outcome).toBe("done");
  });
});
