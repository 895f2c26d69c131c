import { createJsonParser } from "../../src/json.ts";
import type { Client } from "../client.ts";

/** Only the parser of tool arguments. */
export const client: Pick<Client, "grow"> = {
  grow: (deltas) => {
    const parser = createJsonParser();
    for (const delta of deltas) parser.push(delta);
    parser.end();
    return parser.value;
  },
};
