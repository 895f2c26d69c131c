// Runcast inside a Hono application, under /runcast. PORT sets the port.
import { type HttpBindings, serve } from "@hono/node-server";
import { Hono } from "hono";
import { native } from "runcast/dialects/native";
import { memory } from "runcast/logs/memory";
import { demoAgent } from "runcast/models/demo";
import { page } from "runcast/page";
import { createServer } from "runcast/server";

const basePath = "/runcast";
const built = page();
const runcast = createServer({
  agents: { demo: demoAgent() },
  log: memory(),
  dialects: [native],
  basePath,
  ...(built && { page: built }),
});

const app = new Hono<{ Bindings: HttpBindings }>();
app.get("/", (context) => context.html(`<a href="${basePath}/">Runs</a>`));
app.all(`${basePath}/*`, (context) => runcast.fetch(context.req.raw, context.env));

serve({ fetch: app.fetch, port: Number(process.env.PORT || 4430), hostname: "127.0.0.1" }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}${basePath}/`),
);
