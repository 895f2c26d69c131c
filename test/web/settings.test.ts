import { describe, expect, test } from "vitest";
import { parseSettings } from "../../web/src/app/settings.ts";

const defaults = parseSettings(null);

describe("the page's settings as they were kept", () => {
  test.each(["", "{", "null", "[]", '"text"', '{"theme":"loud","servers":"none","keys":1}'])(
    "%s is as good as nothing",
    (text) => expect(parseSettings(text)).toEqual(defaults),
  );

  test("what can be used is used, the rest is not", () => {
    const server = { name: "weather", url: "https://weather.example/mcp", enabled: false };
    const kept = { theme: "dark", agent: "demo", model: 7, system: "Be brief.", servers: [server, { name: 1 }] };
    expect(parseSettings(JSON.stringify(kept))).toEqual({
      ...defaults,
      theme: "dark",
      agent: "demo",
      system: "Be brief.",
      servers: [server],
    });
  });
});
