import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Described } from "./openapi.ts";

export type Env = { Bindings: HttpBindings };

/** One that answers at once. */
export type PlainRoute = Described & { readonly handle: (context: Context<Env>) => Response | Promise<Response> };
