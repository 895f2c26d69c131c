import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Principal } from "../access.ts";
import type { Described } from "./openapi.ts";

export type Env = { Bindings: HttpBindings & { readonly principal: Principal } };

/** A route that responds without streaming. */
export type PlainRoute = Described & { readonly handle: (context: Context<Env>) => Response | Promise<Response> };
