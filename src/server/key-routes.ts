import { z } from "zod";
import { type Key, RIGHTS, DEFAULT_RIGHTS, actorOf } from "../access.ts";
import { Refusal } from "../source.ts";
import { needAdmin } from "./need-admin.ts";
import type { Audit } from "./audit.ts";
import type { ReadBody } from "./body.ts";
import type { Keys } from "./keys.ts";
import type { PlainRoute } from "./plain-route.ts";
import type { Sessions } from "./sessions.ts";

const keySchema = z.strictObject({
  name: z.string().regex(/^[\w.-]{1,64}$/),
  user: z.string().min(1).max(256).optional(),
  rights: z.array(z.enum(RIGHTS)).optional(),
  onBehalf: z.boolean().optional(),
});

export interface KeyRoutesOptions {
  readonly keys: Keys;
  readonly configuredKeys: readonly Key[];
  /** Whether the server requires keys. */
  readonly hasKeys: boolean;
  readonly sessions: Sessions;
  readonly audit: Audit;
  readonly readBody: ReadBody;
}

/** Keys that are created and revoked while the server runs. */
export const keyRoutes = (options: KeyRoutesOptions): readonly PlainRoute[] => {
  const { keys, configuredKeys, sessions, audit, readBody } = options;
  return [
    {
      method: "POST",
      path: "/admin/keys",
      summary: "With admin: creates a key and returns it once. Only its hash is stored.",
      body: () => z.toJSONSchema(keySchema, { io: "input" }),
      handle: async ({ env: { principal, incoming }, json }) => {
        needAdmin(principal);
        if (!options.hasKeys)
          throw new Refusal("no-keys", "this server requires no key, so adding one would not protect anything", {
            status: 409,
            hint: "configure the key setting first",
          });
        const body = keySchema.safeParse(await readBody(incoming));
        if (!body.success)
          throw new Refusal(
            "bad-request",
            "a key needs a name (letters, digits, . - _) and can have user, rights and onBehalf",
            {
              hint: `rights must be a list of ${RIGHTS.join(", ")}`,
            },
          );
        const by = actorOf(principal);
        const wanted = JSON.parse(JSON.stringify({ ...body.data, by })) as Parameters<Keys["add"]>[0];
        const key = await keys.add(wanted);
        audit.note(principal, "add-key", body.data.name);
        return json({ name: body.data.name, key }, 201);
      },
    },
    {
      method: "GET",
      path: "/admin/keys",
      summary: "With admin: the keys by name. The keys themselves are not stored.",
      handle: async ({ env, json }) => {
        needAdmin(env.principal);
        const configured = configuredKeys.map(({ key: _, ...rest }) => ({ ...shown(rest), configured: true }));
        return json({ keys: [...configured, ...(await keys.list()).map(shown)] });
      },
    },
    {
      method: "DELETE",
      path: "/admin/keys/:name",
      summary: "With admin: revokes a key that was created by POST /admin/keys. Its streams and share links end.",
      handle: async ({ env, req, json }) => {
        needAdmin(env.principal);
        const name = req.param("name") ?? "";
        if (!(await keys.revoke(name))) {
          const isConfigured = configuredKeys.some((key) => key.name === name);
          throw new Refusal("unknown-key", `there is no key ${name.slice(0, 64)} to revoke`, {
            status: 404,
            hint: isConfigured ? "remove it from the keys setting" : "GET /admin/keys lists them",
          });
        }
        audit.note(env.principal, "revoke-key", name);
        await sessions.check();
        return json({ status: "revoked" });
      },
    },
  ];
};

const shown = <Shown extends Omit<Key, "key">>(key: Shown) => ({
  ...key,
  user: key.user ?? key.name,
  rights: key.rights ?? DEFAULT_RIGHTS,
});
