import type { PlainRoute } from "./plain-route.ts";
import type { Deletions } from "./deletions.ts";

export interface DeleteRoutesOptions {
  readonly deletions: Deletions;
}

export const deleteRoutes = ({ deletions }: DeleteRoutesOptions): readonly PlainRoute[] => [
  {
    method: "GET",
    path: "/me",
    summary: "The caller: its user, if any, and its rights.",
    handle: ({ env: { principal }, json }) =>
      json({ ...(principal.user !== undefined && { user: principal.user }), rights: principal.rights }),
  },
  {
    method: "DELETE",
    path: "/runs/:run",
    summary: "Deletes a run with its files and links permanently. Cancels it first if it is active.",
    handle: async ({ env, req, json }) => {
      await deletions.run(env.principal, req.param("run") ?? "");
      return json({ deleted: 1 });
    },
  },
  {
    method: "DELETE",
    path: "/threads/:thread",
    summary: "Deletes your runs in a thread; with admin, all of its runs.",
    handle: async ({ env, req, json }) =>
      json({ deleted: await deletions.thread(env.principal, req.param("thread") ?? "") }),
  },
  {
    method: "DELETE",
    path: "/users/:user",
    summary: "Deletes all of a user's runs: your own, or with admin, anyone's.",
    handle: async ({ env, req, json }) =>
      json({ deleted: await deletions.user(env.principal, req.param("user") ?? "") }),
  },
];
