import type { DatabaseSync } from "node:sqlite";

/** Fills in the user of each run. A run's first entry is in a segment, or still in the journal. */
export const fillUsers = (sql: DatabaseSync): void => {
  sql.exec(`
    UPDATE runs SET user = (
      SELECT CASE WHEN json_valid(body) THEN json_extract(body, '$[0].event.user.id') END
      FROM segments WHERE segments.number = runs.number AND first = 1
    )
  `);
  const setUser = sql.prepare("UPDATE runs SET user = ? WHERE number = ?");
  for (const { body } of sql.prepare("SELECT body FROM journal ORDER BY id").all()) {
    for (const line of (body as string).split("\n")) {
      const [, number, text] = /^(\d+)\t(\{"seq":1,.*)$/.exec(line) ?? [];
      const user = text && userOf(text);
      if (user) setUser.run(user, Number(number));
    }
  }
};

/** Ignores damaged lines. Reading the run's entries reports them. */
const userOf = (text: string): string | undefined => {
  try {
    const [first] = JSON.parse(`[${text}]`);
    return typeof first.event.user?.id === "string" ? first.event.user.id : undefined;
  } catch {
    return undefined;
  }
};
