import type { Access } from "../session/access.ts";

/** Makes the server delete all runs at this path. Returns their number. */
export const deletedRuns = async (access: Access, path: string): Promise<number> =>
  ((await (await access.ask(path, { method: "DELETE" })).json()) as { deleted: number }).deleted;
