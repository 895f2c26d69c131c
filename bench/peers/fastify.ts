import { fastify } from "fastify";
import type { AddressInfo } from "node:net";
import { sseHeaders } from "../server.ts";
import type { Serve } from "../server.ts";
import { nativeRun } from "../workload.ts";

export const serve: Serve = async (stage) => {
  const app = fastify();
  app.get("/", (_request, reply) => {
    reply.hijack();
    const response = reply.raw;
    response.writeHead(200, sseHeaders);
    stage.push(
      stage.script(nativeRun),
      (event) => response.write(`data: ${JSON.stringify(event)}\n\n`),
      () => response.end(),
    );
  });
  await app.listen({ port: 0, host: "127.0.0.1", backlog: 2048 });
  return { port: (app.server.address() as AddressInfo).port };
};
