import { type Cell, createCell } from "../kit/cell.ts";

/** Which runs the board shows: query parameters of the server. */
export interface BoardFilter {
  readonly state?: string;
  readonly agent?: string;
  readonly search?: string;
  /** "1": only the user's own runs. */
  readonly mine?: string;
}

/** What the page's URL opens: one run (read-only with a token), the board of runs, a conversation, or a new one. */
export interface Route {
  readonly board?: BoardFilter;
  readonly chat?: string;
  readonly run?: string;
  readonly token?: string;
}

export interface RouteCell extends Cell<Route> {
  go(route: Route): void;
  /** Without adding a history entry. */
  replace(route: Route): void;
  href(route: Route): string;
}

export const createRoute = (): RouteCell => {
  const cell = createCell(read());
  addEventListener("popstate", () => cell.set(read()));
  const href = ({ board, chat, run, token }: Route): string => {
    const query = new URLSearchParams();
    if (board) query.set("board", "1");
    for (const name of FILTER) if (board?.[name]) query.set(name, board[name]);
    if (chat) query.set("chat", chat);
    if (run) query.set("run", run);
    if (token) query.set("token", token);
    return query.size > 0 ? `?${query}` : location.pathname;
  };
  const move = (how: "pushState" | "replaceState") => (route: Route) => {
    history[how](null, "", href(route));
    cell.set(read());
  };
  return { ...cell, href, go: move("pushState"), replace: move("replaceState") };
};

const FILTER = ["state", "agent", "search", "mine"] as const;

const read = (): Route => {
  const query = new URLSearchParams(location.search);
  const filter = Object.fromEntries(FILTER.flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : [])));
  const [chat, run, token] = ["chat", "run", "token"].map((name) => query.get(name) ?? "");
  return {
    ...(query.has("board") && { board: filter }),
    ...(chat && { chat }),
    ...(run && { run }),
    ...(token && { token }),
  };
};
