// Runcast with the demo agent, and a site beside it that shows its runs.
import { native } from "../../src/dialects/native.ts";
import { memory } from "../../src/logs/memory.ts";
import { demoAgent } from "../../src/models/demo.ts";
import { page } from "../../src/page.ts";
import { createServer } from "../../src/server.ts";
import { createSite } from "./site.ts";

const PORT = 4410;
const key = "only-the-site-knows-this";
const built = page();
if (!built) throw new Error("build the element first: npm run build");
const runcast = createServer({
  agents: { demo: { source: demoAgent() } },
  log: memory(),
  dialects: [native],
  page: built,
  key,
});
const { url } = await runcast.listen();
createSite({ url, key }).listen(PORT, "127.0.0.1", () => console.log(`http://127.0.0.1:${PORT}`));
