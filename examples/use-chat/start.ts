// The page with the demo agent. PORT sets the port.
import { demoAgent } from "runcast/models/demo";
import { buildPage } from "../site.ts";

const { url } = await buildPage("use-chat").serve(demoAgent(), Number(process.env.PORT || 4440));
console.log(url);
