import { expect, test } from "vitest";
import { demoAgent } from "../../src/models/demo.ts";
import { type Browsing, DEMO_SPEED, describeInBrowser, violations } from "../browsing.ts";
import { startDisconnectingProxy } from "../disconnecting-proxy.ts";
import { scenes, SIZES } from "../scenes.ts";
import { onStop } from "../serving.ts";

const SCHEMES = ["light", "dark"] as const;

describeInBrowser("every state that has a picture", ({ serve, open }: Browsing) => {
  const isLong = process.env.RUNCAST_LONG === "1";
  const numbered = scenes.map((scene, number) => ({ ...scene, number }));

  test.each(numbered)("$name: axe finds nothing wrong", async ({ sizes, speed = DEMO_SPEED, keys, play, number }) => {
    const server = await serve(demoAgent({ speed }), keys && { keys });
    // Both color schemes, each size once. The short form alternates between the two from scene to scene.
    for (const [index, colorScheme] of SCHEMES.entries()) {
      if (!isLong && index !== number % SCHEMES.length) continue;
      const proxy = await startDisconnectingProxy(server);
      onStop(proxy.close);
      const size = sizes[index % sizes.length]!;
      const page = await open(proxy.url, { ...SIZES[size], colorScheme });
      await play(page, proxy.disconnect);
      expect(await violations(page), `${size}, ${colorScheme}`).toEqual([]);
      await page.context().close();
    }
  });
});
