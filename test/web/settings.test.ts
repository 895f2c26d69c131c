import { describe, expect, test } from "vitest";
import { parseSettings } from "../../web/src/session/settings.ts";

const defaults = parseSettings(undefined);

describe("stored settings of the page", () => {
  test.each([null, [], "text", { theme: "loud", servers: "none", keys: 1 }])("%j counts as nothing", (kept) =>
    expect(parseSettings(kept)).toEqual(defaults),
  );

  test("valid parts are used, and the rest is ignored", () => {
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

  test.each([
    [{ panel: "outline" }, "outline"],
    [{ panel: true }, undefined],
    [{ tools: true, outline: false }, "tools"],
    [{ tools: false, outline: true }, "outline"],
    [{ tools: false, outline: false }, undefined],
    [{ panel: "outline", tools: true }, "outline"],
  ])("the open panel, also from the switches of earlier versions: %j", (kept, panel) =>
    expect(parseSettings(kept)).toEqual({ ...defaults, panel }),
  );
});
