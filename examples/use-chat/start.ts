// The page with the demo agent. PORT sets the port.
import { demoAgent } from "../../src/models/demo.ts";
import { startSite } from "./site.ts";

const { url } = await startSite(demoAgent(), Number(process.env.PORT || 4440));
console.log(url);
