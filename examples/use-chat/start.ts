// The page with the demo agent. PORT sets the port.
import { demoAgent } from "runcast/models/demo";
import { startSite } from "./site.ts";

const { url } = await startSite(demoAgent(), Number(process.env.PORT || 4440));
console.log(url);
