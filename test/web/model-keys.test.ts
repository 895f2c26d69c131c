import { describe, expect, test } from "vitest";
import { agentsWithout, neededKeys, parseKeys } from "../../web/src/session/model-keys.ts";

const writer = {
  name: "writer",
  model: "acme/large",
  models: ["beta/small"],
  missingKeys: [
    { variable: "ACME_API_KEY", model: "acme/large" },
    { variable: "BETA_API_KEY", model: "beta/small" },
    { variable: "GAMMA_API_KEY", model: "gamma/m", subagent: "helper" },
  ],
};
const named = (model?: string, kept: Parameters<typeof neededKeys>[2] = []): string[] =>
  neededKeys(writer, model, kept).map(({ variable }) => variable);

describe("the keys that a run needs", () => {
  test("are those of the chosen model and of the sub-agents", () => {
    expect(named()).toEqual(["ACME_API_KEY", "GAMMA_API_KEY"]);
    expect(named("beta/small")).toEqual(["BETA_API_KEY", "GAMMA_API_KEY"]);
    // A choice from before, which the agent no longer offers.
    expect(named("gone/m")).toEqual(["ACME_API_KEY", "GAMMA_API_KEY"]);
    expect(neededKeys({ name: "free" }, undefined, [])).toEqual([]);
  });

  test("are not needed once they are entered for the agent", () => {
    const acme = { variable: "ACME_API_KEY", key: "k" };
    expect(named(undefined, [{ agent: "writer", ...acme }])).toEqual(["GAMMA_API_KEY"]);
    expect(named(undefined, [{ agent: "other", ...acme }])).toEqual(["ACME_API_KEY", "GAMMA_API_KEY"]);
  });

  test("are entered for all agents that lack them", () => {
    const other = { name: "other", missingKeys: [{ variable: "BETA_API_KEY", model: "beta/m" }] };
    expect(agentsWithout([writer, other, { name: "free" }], "BETA_API_KEY")).toEqual(["writer", "other"]);
  });
});

test("of stored keys, the valid ones are used", () => {
  const key = { agent: "writer", variable: "ACME_API_KEY", key: "k" };
  expect(parseKeys([key, { ...key, key: 7 }, null])).toEqual([key]);
  expect(parseKeys({ key })).toEqual([]);
});
