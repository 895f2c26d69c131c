import { RIGHTS } from "../access.ts";
import { askServer } from "./ask-server.ts";
import { columns } from "./columns.ts";
import { type CliCommand, UsageError } from "./command.ts";
import { LOCAL, serverAddress } from "./target.ts";

export const keys: CliCommand = {
  name: "keys",
  usage: "<add|list|revoke> [name]",
  positionals: [1, 2],
  summary: "Creates, lists and revokes keys on a running server.",
  details:
    "Uses the server at --url, RUNCAST_URL or http://127.0.0.1:4400, with a key that has the admin right. A new key is printed once; the server stores only its hash.",
  options: {
    user: { value: "id", help: "add: the key's user (default: the key's name)" },
    rights: { value: "list", help: `add: the key's rights, from ${RIGHTS.join(", ")} (default: start,watch,answer)` },
    "on-behalf": { help: "add: for a front end that acts for its own users" },
    url: { value: "address", help: `the server (default: ${LOCAL})` },
    key: { value: "key", help: "a key with the admin right (or RUNCAST_KEY)" },
  },
  run: async ({ positionals: [verb = "", name], options, environment }) => {
    const base = serverAddress(options["url"], environment);
    const key = options["key"] ?? environment["RUNCAST_KEY"];
    const say = (text: string) => void process.stdout.write(`${text}\n`);
    if (verb === "list") {
      const answer = await askServer({ base }, "/admin/keys", { key });
      const { keys: listed } = (await answer.json()) as { keys: ListedKey[] };
      for (const line of columns(listed.map(cellsOf))) say(line);
      if (listed.length === 0) process.stderr.write("runcast: the server has no keys\n");
      return 0;
    }
    if (verb !== "add" && verb !== "revoke")
      throw new UsageError(`unknown subcommand keys ${verb}; use add, list or revoke`);
    if (name === undefined) throw new UsageError(`keys ${verb} needs the name of a key: keys ${verb} <name>`);
    if (verb === "revoke") {
      await askServer({ base }, `/admin/keys/${encodeURIComponent(name)}`, { method: "DELETE", key });
      say(`revoked ${name}; its streams and share links have ended`);
      return 0;
    }
    const { user, rights, "on-behalf": onBehalf } = options;
    const body = {
      name,
      ...(user !== undefined && { user }),
      ...(rights !== undefined && { rights: rights.split(/[\s,]+/).filter(Boolean) }),
      ...(onBehalf !== undefined && { onBehalf: true }),
    };
    const answer = await askServer({ base }, "/admin/keys", { method: "POST", key, body });
    say(((await answer.json()) as { key: string }).key);
    return 0;
  },
};

interface ListedKey {
  readonly name: string;
  readonly user: string;
  readonly rights: readonly string[];
  readonly onBehalf?: boolean;
  readonly created?: number;
  readonly by?: string;
}

const cellsOf = ({ name, user, rights, onBehalf, created, by }: ListedKey): string[] => [
  name,
  user,
  rights.join(",") + (onBehalf ? " on behalf of others" : ""),
  created === undefined ? "from the configuration" : `since ${new Date(created).toISOString().slice(0, 10)}`,
  by === undefined ? "" : `by ${by}`,
];
