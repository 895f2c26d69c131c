import { describe, expect, test } from "vitest";
import { parseSettings } from "../../web/src/session/settings.ts";

const defaults = parseSettings(undefined);

describe("the page's settings as they were kept", () => {
  test.each([null, [], "text", { theme: "loud", servers: "none", keys: 1 }])("%j is as good as nothing", (kept) =>
    expect(parseSettings(kept)).toEqual(defaults),
  );

  test("what can be used is used, the rest is not", () => {
    const server = { name: "weather", url: "https://weather.example/mcp", enabled: false };
    const kept = { theme: "dark", agent: "demo", model: 7, system: "Be brief.", servers: [server, { name: 1 }] };
    expect(parseSettings(kept)).toEqual({
      ...defaults,
      theme: "dark",
      agent: "demo",
      system: "Be brief.",
      servers: [server],
    });
  });
});
