import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { boundedBody } from "../../src/tools/mcp/bounded-body.ts";
import { guardedFetch } from "../../src/tools/mcp/guarded-fetch.ts";
import { startServer } from "./http-server.ts";

describe("a server that a request names", () => {
  test.each(["HTTP/1.1 999 Odd", "HTTP/1.1 600 Odd", "HTTP/1.1 000 Odd", "no HTTP at all"])(
    "a response of %j fails only its own request",
    async (line) => {
      const server = createServer((socket) => {
        socket.on("error", () => {});
        socket.once("data", () => socket.end(`${line}\r\ncontent-length: 2\r\n\r\nok`));
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      // An uncaught error would fail the test run.
      await expect(guardedFetch([place])(`http://${place}/`)).rejects.toThrow();
      server.close();
      await once(server, "close");
    },
  );
});

describe("a response", () => {
  const most = 100_000;
  const endOf = async (type: string, piece: string) => {
    const server = await startServer((_, response) => {
      response.writeHead(200, { "content-type": type });
      for (let count = 0; count < 10; count += 1) response.write(piece);
      response.end();
    });
    try {
      const response = boundedBody(await guardedFetch([server.host])(server.url), most, () => {});
      return await response.text().then(({ length }) => length, String);
    } finally {
      await server.close();
    }
  };
  const line = `data: ${"x".repeat(50_000)}\n`;

  test.each([
    ["an endless message", "text/event-stream", line],
    ["a large response", "application/json", `${line}\n`],
  ])("is aborted: %s", async (_, type, piece) => {
    expect(await endOf(type, piece)).toContain("larger than 100000 bytes");
  });

  test.each(["\n", "\r\n\r\n", "\r\r"])("may have any number of messages that are not too large: %j", async (end) => {
    const piece = line + end;
    expect(await endOf("text/event-stream; charset=utf-8", piece)).toBe(10 * piece.length);
  });
});
