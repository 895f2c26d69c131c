import type { Access } from "../session/access.ts";

/** Has the server delete all runs at this path. Answers how many there were. */
export const deletedRuns = async (access: Access, path: string): Promise<number> =>
  ((await (await access.ask(path, { method: "DELETE" })).json()) as { deleted: number }).deleted;
