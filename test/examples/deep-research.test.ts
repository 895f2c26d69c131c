import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { deepResearch } from "../../examples/deep-research/agent.ts";
import { library } from "../../examples/deep-research/library.ts";
import { post, serve } from "../serving.ts";
import { configOf, play } from "./playing.ts";

const QUESTION = "How can a stream survive a lost connection?";

test("a plan, three parallel researchers, files they share, and a report with citations", async () => {
  const { entries, all, outcomes, text, file } = await play(deepResearch({ speed: Infinity }), QUESTION);
  expect(all("run-end")[0]?.outcome).toBe("done");
  expect(outcomes().filter(([, outcome]) => outcome !== "ok")).toEqual([]);

  const plans = all("data").filter(({ name }) => name === "todos");
  const statuses = plans.map(({ value }) => (value as { status: string }[]).map(({ status }) => status).join(" "));
  expect(statuses).toEqual([
    "pending pending pending pending",
    "active active active pending",
    "done done done active",
    "done done done done",
  ]);

  const agents = all("agent-start");
  expect(agents.map(({ name }) => name)).toEqual(["researcher", "researcher", "researcher"]);
  const lastStart = entries.findLastIndex(({ event }) => event.type === "agent-start");
  const firstEnd = entries.findIndex(({ event }) => event.type === "agent-end");
  expect(lastStart).toBeLessThan(firstEnd);
  expect(all("agent-end").map(({ outcome }) => outcome)).toEqual(["done", "done", "done"]);

  const written = all("file").map(({ name, agent }) => [name, agent === undefined ? "lead" : "researcher"]);
  expect(written.toSorted()).toEqual([
    ["findings/backpressure.md", "researcher"],
    ["findings/log.md", "researcher"],
    ["findings/resuming.md", "researcher"],
    ["report.md", "lead"],
  ]);
  expect(outcomes().filter(([name]) => name === "read_file").length).toBe(3);

  const cited = all("citation");
  const urls = new Set(library.map(({ url }) => url));
  expect(cited.every(({ url }) => urls.has(url ?? ""))).toBe(true);
  expect(cited.filter(({ agent }) => agent !== undefined).length).toBeGreaterThanOrEqual(3);
  const own = cited.filter(({ agent }) => agent === undefined);
  expect(own.length).toBeGreaterThanOrEqual(3);

  const report = await file(all("file").find(({ name }) => name === "report.md")?.file ?? "");
  expect(text().endsWith(report)).toBe(true);
  for (const [index, { url }] of own.entries()) {
    expect(report).toContain(`[${index + 1}]`);
    expect(report).toContain(url);
  }
});

test("its files are removed when the run has ended, and two runs do not share files", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "runcast-test-"));
  const source = deepResearch({ speed: Infinity, directory });
  const runs = await Promise.all([play(source, QUESTION), play(source, QUESTION)]);
  for (const { all } of runs)
    expect(all("file").map(({ change }) => change)).toEqual(["created", "created", "created", "created"]);
  expect(readdirSync(directory)).toEqual([]);
  rmSync(directory, { recursive: true });
});

test("its configuration can be served, with a model by name", async () => {
  vi.stubEnv("RUNCAST_MODEL", "anthropic/claude-sonnet-4-5");
  vi.stubEnv("ANTHROPIC_API_KEY", "");
  const { agents } = await configOf("deep-research");
  expect(Object.entries(agents).map(([name, { about }]) => [name, about?.model])).toEqual([
    ["deep-research", "anthropic/claude-sonnet-4-5"],
  ]);
  // Nothing is missing but the key, and the refusal says which.
  const { url } = await serve(agents["deep-research"]!);
  const refused = await post(`${url}/runs`, { message: QUESTION });
  expect(refused.ok).toBe(false);
  expect(await refused.text()).toContain("ANTHROPIC_API_KEY");
  vi.unstubAllEnvs();
});
