// Runcast inside an Express application, under /runcast. PORT sets the port.
import express from "express";
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

const app = express();
app.get("/", (_, response) => void response.send(`<a href="${basePath}/">Runs</a>`));
app.use(basePath, runcast.listener);

const server = app.listen(Number(process.env.PORT || 4420), "127.0.0.1", () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === "object" && address ? address.port : ""}${basePath}/`);
});
