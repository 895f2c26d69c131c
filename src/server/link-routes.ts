import { z } from "zod";
import type { Context } from "hono";
import { type Action, actorOf, may } from "../access.ts";
import { Refusal } from "../source.ts";
import type { Audit } from "./audit.ts";
import type { ReadBody } from "./body.ts";
import type { Links } from "./links.ts";
import type { Owners } from "./owners.ts";
import type { Env, PlainRoute } from "./plain-route.ts";
import type { Sessions } from "./sessions.ts";

const linkSchema = z.object({
  expiresInSeconds: z.number().int().min(1).max(31_536_000).optional(),
  answer: z.boolean().optional(),
  request: z.boolean().optional(),
});
const DAY = 86_400;
const ACTIONS = ["watch", "answer", "cancel", "share"] as const satisfies readonly Action[];

export interface LinkRoutesOptions {
  readonly owners: Owners;
  readonly links: Links;
  readonly sessions: Sessions;
  readonly audit: Audit;
  readonly basePath: string;
  readonly readBody: ReadBody;
}

/** Share links of a run, created, listed and revoked by those who may share it. */
export const linkRoutes = ({ owners, links, sessions, audit, basePath, readBody }: LinkRoutesOptions): PlainRoute[] => {
  const info = ({ env, req }: Context<Env>, action: Action) =>
    owners.info(env.principal, action, req.param("run") ?? "");
  return [
    {
      method: "POST",
      path: "/runs/:run/links",
      summary: "Creates a share link for this run: to watch it, and with `answer` to answer its questions.",
      body: () => z.toJSONSchema(linkSchema, { io: "input" }),
      handle: async (context) => {
        const { principal } = context.env;
        const { run } = await info(context, "share");
        const body = linkSchema.safeParse((await readBody(context.env.incoming)) ?? {});
        if (!body.success)
          throw new Refusal("bad-request", "a link takes expiresInSeconds (1 to 31536000), answer and request", {
            hint: "the default is a day, to watch only, without the request",
          });
        const { expiresInSeconds = DAY, answer, request } = body.data;
        // A link must not grant a right that its creator lacks.
        if (answer) await info(context, "answer");
        const by = actorOf(principal);
        const { link, token } = await links.create({
          run,
          // Not valid for longer than the token of its creator.
          expires: Math.min(Date.now() + expiresInSeconds * 1000, principal.expires ?? Infinity),
          key: principal.key,
          ...(by !== undefined && { by }),
          ...(answer && { answer }),
          ...(request && { request }),
        });
        audit.note(principal, "share", run);
        return context.json({ ...link, token, url: `${basePath}/?run=${run}&token=${token}` }, 201);
      },
    },
    {
      method: "GET",
      path: "/runs/:run/links",
      summary: "The active share links of this run, newest first. Tokens are returned only when a link is created.",
      handle: async (context) => {
        const { run } = await info(context, "share");
        return context.json({ links: await links.list(run) });
      },
    },
    {
      method: "DELETE",
      path: "/runs/:run/links/:link",
      summary: "Revokes a share link and closes streams that use it.",
      handle: async (context) => {
        const { run } = await info(context, "share");
        const id = context.req.param("link") ?? "";
        if (!/^[a-z0-9]{1,40}$/.test(id) || !(await links.revoke(run, id)))
          throw new Refusal("unknown-link", `run ${run} has no link ${id.slice(0, 40)}`, {
            status: 404,
            hint: `GET /runs/${run}/links lists them`,
          });
        audit.note(context.env.principal, "revoke-link", run);
        await sessions.check();
        return context.json({ status: "revoked" });
      },
    },
    {
      method: "GET",
      path: "/runs/:run/access",
      summary: "What the request's key or link allows on this run, and until when.",
      handle: async (context) => {
        const { principal } = context.env;
        const run = await info(context, "watch");
        const allowed = Object.fromEntries(ACTIONS.map((action) => [action, may(principal, action, run)]));
        return context.json({ ...allowed, ...(principal.link && { expires: principal.link.expires }) });
      },
    },
  ];
};
