import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { startCuttingProxy } from "../../../cutting-proxy.ts";
import { FORWARDED } from "../account.ts";
import { describeLive } from "../installed.ts";
import { useLive } from "../live.ts";

/** Ends every response in progress as if it were complete, like a stopping server or a proxy. */
const startEndingProxy = async (target: string) => {
  const endings = new Set<() => void>();
  const server: Server = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const piece of request) body.push(piece as Buffer);
    const stop = new AbortController();
    const end = () => {
      response.end();
      stop.abort();
    };
    endings.add(end);
    const { host: _, connection: __, "content-length": ___, ...headers } = request.headers;
    try {
      const answer = await fetch(target + (request.url ?? ""), {
        method: request.method ?? "GET",
        headers: headers as Record<string, string>,
        ...(body.length > 0 && { body: Buffer.concat(body) }),
        signal: stop.signal,
      });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      for await (const piece of answer.body ?? []) response.write(piece);
    } catch {
      // The response was ended.
    }
    endings.delete(end);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    end: () => {
      for (const end of endings) end();
    },
    close: async () => void server.close().closeAllConnections(),
  };
};

describeLive("a connection that breaks while a tool runs", ({ program }) => {
  const live = useLive(program);
  const proxies: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.close();
  });

  const startTool = async (url: string) => {
    await live.account.connect({ url: `${url}/open-webui/v1`, headers: FORWARDED, models: ["storyteller"] });
    const chat = await live.open({ model: "storyteller" });
    await chat.send("One tool");
    await live.gates.reached("owls");
    await chat.answer.getByText("Executing look_up").waitFor();
    return chat;
  };
  // Versions before 0.11.1 send no trace of the call when they ask again.
  const brokeOf = ({ version }: { readonly version: string }) =>
    version.startsWith("0.10.")
      ? "This answer is incomplete"
      : "The connection to the agent broke while it was working";

  test("as if the answer were complete: the message says that it is not, and the agent is not started again", async () => {
    const proxy = await startEndingProxy(live.runcast);
    proxies.push(proxy);
    const chat = await startTool(proxy.url);
    proxy.end();
    const broke = brokeOf(live.openWebUi);
    await chat.answer.getByText(broke).first().waitFor();
    await chat.finished();
    expect(live.started).toHaveLength(1);
    await chat.reload();
    await chat.answer.getByText(broke).first().waitFor();
  });

  test("in the middle of a chunk: Open WebUI runs nothing, and the agent is not started again", async () => {
    const proxy = await startCuttingProxy(Number(new URL(live.runcast).port));
    proxies.push(proxy);
    const chat = await startTool(proxy.url);
    proxy.cut();
    await chat.finished();
    expect(await chat.answer.innerText()).not.toContain("not found");
    expect(live.started).toHaveLength(1);
  });
});
