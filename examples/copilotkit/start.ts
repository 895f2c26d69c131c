// The page with the demo agent. PORT sets the port.
import { demoAgent } from "runcast/models/demo";
import { buildPage } from "../site.ts";

const { url } = await buildPage("copilotkit").serve(demoAgent(), Number(process.env.PORT || 4441));
console.log(url);
