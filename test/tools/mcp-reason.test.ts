import { describe, expect, test } from "vitest";
import { cleaned, reason } from "../../src/tools/mcp/reason.ts";

describe("secrets sent to a server", () => {
  const server = {
    url: "https://mcp.example/?api_key=of-the-query",
    headers: { authorization: "Bearer of-the-header", "x-other": "Basic b2YtYW5vdGhlcg==" },
  };
  const reported = "neither of-the-header nor of-the-query nor b2YtYW5vdGhlcg== is right";

  test("are not in the reason of a failure", () => {
    expect(reason(new Error("failed", { cause: new Error(reported) }), server)).toBe("neither … nor … nor … is right.");
  });

  test("are not in the error of a call, which keeps its code", () => {
    const error = cleaned(Object.assign(new Error(reported), { code: "http" }), server) as Error;
    expect(error).toMatchObject({ message: "neither … nor … nor … is right", code: "http" });
    expect(error.cause).toBeUndefined();
  });

  test("an error without secrets is unchanged", () => {
    const error = new TypeError("of something else");
    expect(cleaned(error, server)).toBe(error);
  });
});
