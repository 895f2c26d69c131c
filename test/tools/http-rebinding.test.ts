import { lookup } from "node:dns/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { http } from "../../src/tools/http.ts";
import { startServer } from "./http-server.ts";
import { callTool, textOf } from "./recording-context.ts";

// The system's resolver cannot simulate a name server whose responses change.
vi.mock("node:dns/promises", () => ({ lookup: vi.fn() }));
const answers = (...lists: readonly (readonly string[])[]): void => {
  for (const list of lists) {
    const found = list.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    vi.mocked(lookup).mockResolvedValueOnce(found as never);
  }
};
afterEach(() => vi.mocked(lookup).mockReset());

describe("a name whose address changes", () => {
  test("is resolved once per hop, and reached at the checked address", async () => {
    const server = await startServer(({ url }, response) => {
      if (url === "/again") response.writeHead(302, { location: "/" }).end();
      else response.end("ok");
    });
    // No resolver knows the name, so only the checked address can lead there.
    const host = `rebind.invalid:${server.port}`;
    answers(["127.0.0.1"], ["127.0.0.1"]);
    expect(textOf(await callTool(http({ allowPrivate: [host] }), { url: `http://${host}/again` }))).toBe("ok");
    expect(vi.mocked(lookup)).toHaveBeenCalledTimes(2);
    expect(server.seen.map((one) => one.headers.host)).toEqual([host, host]);
    await server.close();
  });

  test.each([[["127.0.0.1"]], [["93.184.216.34", "127.0.0.1"]], [["2606:4700::1111", "::1"]], [["::ffff:10.0.0.1"]]])(
    "is refused if one of its addresses is private: %j",
    async (addresses) => {
      const server = await startServer();
      answers(addresses);
      const url = `http://rebind.invalid:${server.port}/`;
      await expect(callTool(http(), { url })).rejects.toThrow("private network");
      expect(server.seen).toEqual([]);
      await server.close();
    },
  );
});
