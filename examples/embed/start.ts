// Runcast with the demo agent, and a separate site that shows its runs. PORT sets the site's port.
import { native } from "runcast/dialects/native";
import { memory } from "runcast/logs/memory";
import { demoAgent } from "runcast/models/demo";
import { page } from "runcast/page";
import { createServer } from "runcast/server";
import { createSite } from "./site.ts";

const fail = (message: string): never => {
  console.error(message);
  process.exit(1);
};

const port = Number(process.env.PORT || 4410);
if (!Number.isInteger(port) || port < 0 || port > 65_535)
  fail(`PORT must be a number from 0 to 65535, not ${process.env.PORT}`);
const built = page() ?? fail("the element was not built; build it with: npm run build");
const key = "only-the-site-knows-this";
const runcast = createServer({
  agents: { demo: demoAgent() },
  log: memory(),
  dialects: [native],
  page: built,
  key,
});
const { url } = await runcast.listen();
const site = createSite({ url, key });
site.on("error", ({ code, message }: NodeJS.ErrnoException) =>
  fail(
    code === "EADDRINUSE"
      ? `port ${port} is in use; set PORT to choose another (0 picks a free one)`
      : `the site cannot listen on port ${port}: ${message}; choose another by setting PORT`,
  ),
);
site.listen(port, "127.0.0.1", () => {
  const address = site.address();
  console.log(`http://127.0.0.1:${typeof address === "object" && address ? address.port : port}`);
});
