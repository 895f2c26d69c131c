import { afterEach, expect, test } from "vitest";
import { weather, weatherServer } from "../../examples/weather-mcp/agent.ts";
import type { Mcp } from "../../src/tools/mcp.ts";
import { drive } from "../drive.ts";
import { configOf, play } from "./playing.ts";

let tools: Mcp | undefined;
afterEach(async () => {
  await tools?.close();
  tools = undefined;
});

test("a fast tool, a slow one with progress and one that fails, all in parallel", async () => {
  tools = weatherServer({ PICTURE_MS: "20" });
  const { all, text, events } = await drive(weather({ speed: Infinity, tools }), "What is the weather in Bergen?");
  const nameOf = new Map(all("tool-start").map(({ call, name }) => [call, name]));
  const outcomes = Object.fromEntries(all("tool-end").map(({ call, outcome }) => [nameOf.get(call), outcome]));
  expect(outcomes).toEqual({ weather__get_forecast: "ok", weather__get_radar: "ok", weather__get_alerts: "error" });
  expect(all("tool-start").map(({ title }) => title)).toEqual(["Forecast", "Radar", "Alerts"]);
  expect(all("tool-progress").map(({ fraction, note }) => [fraction, note])).toEqual(
    [1, 2, 3, 4, 5].map((picture) => [picture / 5, `picture ${picture} of 5`]),
  );
  expect(nameOf.get(all("tool-end").at(-1)!.call)).toBe("weather__get_radar");
  expect(all("tool-end").find(({ value }) => value)?.value).toMatchObject({
    city: "Bergen",
    days: [{ day: "today" }, {}, {}],
  });
  expect(text()).toContain("- tomorrow: ");
  expect(text()).toContain("The warning service has no station near Bergen.");
  expect(events.filter(({ type }) => type === "notice")).toEqual([]);
});

test("the slow tool stops when it is cancelled, and the server continues", async () => {
  tools = weatherServer({ PICTURE_MS: "60000" });
  const source = weather({ speed: Infinity, tools });
  const { all } = await drive(source, "What is the weather in Oslo?", (event, { cancel, events }) => {
    if (event.type !== "tool-end" || event.outcome !== "error") return;
    const radar = events.find((started) => started.type === "tool-start" && started.name === "weather__get_radar");
    if (radar?.type === "tool-start") cancel("call", radar.call);
  });
  expect(
    all("tool-end")
      .map(({ outcome }) => outcome)
      .toSorted(),
  ).toEqual(["cancelled", "error", "ok"]);
});

test("works on a real server, and its configuration can be served", async () => {
  tools = weatherServer({ PICTURE_MS: "1" });
  const { outcomes, text } = await play(weather({ speed: Infinity, tools }), "What is the weather in Oslo?");
  expect(outcomes().toSorted()).toEqual([
    ["weather__get_alerts", "error"],
    ["weather__get_forecast", "ok"],
    ["weather__get_radar", "ok"],
  ]);
  expect(text()).toContain("I could not get the warnings: The warning service has no station near Oslo.");
  expect(Object.keys((await configOf("weather-mcp")).agents)).toEqual(["weather"]);
});
