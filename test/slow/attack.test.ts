import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { expect, test } from "vitest";
import { attackAll, attacks } from "../attacks/all.ts";

/** The short form. `npm run test:attack` runs longer and also checks the viewer's latency. */
test("every attack is refused, reveals nothing, and does not affect a viewer's stream", async () => {
  const names: string[] = [];
  for await (const { name, skipped, wrong, answers, viewer } of attackAll({ seconds: 0.5 })) {
    names.push(name);
    if (skipped !== undefined) {
      expect(process.env["RUNCAST_REQUIRE_ALL"], `${name}: ${skipped}`).not.toBe("1");
      console.log(`skipped: ${name} (${skipped})`);
      continue;
    }
    expect([name, wrong]).toEqual([name, []]);
    expect([name, answers.size > 0, viewer.count > 0]).toEqual([name, true, true]);
    console.log(`${name}: the viewer's p99 is ${viewer.p99} ms`);
  }
  expect(names).toHaveLength(attacks.length + 1);
}, 300_000);

test("no attacked server outlives an attacker that is killed", async () => {
  const program = path.join(import.meta.dirname, "../fixtures/attacked-servers.ts");
  const attacker = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [text] = (await once(attacker.stdout, "data")) as [Buffer];
  const urls = String(text).trim().split(" ");
  expect(urls).toHaveLength(3);
  attacker.kill("SIGKILL");
  for (const url of urls)
    await expect
      .poll(
        () =>
          fetch(url).then(
            ({ status }) => status,
            () => "gone",
          ),
        { timeout: 10_000 },
      )
      .toBe("gone");
}, 60_000);
