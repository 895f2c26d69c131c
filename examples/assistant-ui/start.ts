// The page with the demo agent. PORT sets the port.
import { demoAgent } from "runcast/models/demo";
import { buildPage } from "../site.ts";

const { url } = await buildPage("assistant-ui").serve(demoAgent(), Number(process.env.PORT || 4442));
console.log(url);
