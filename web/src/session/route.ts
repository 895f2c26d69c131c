import { type Cell, createCell } from "../kit/cell.ts";

/** What the page's URL opens: one run (read-only with a token), a conversation, or a new one. */
export interface Route {
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
  const href = ({ chat, run, token }: Route): string => {
    const query = new URLSearchParams();
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

const read = (): Route => {
  const query = new URLSearchParams(location.search);
  const [chat, run, token] = ["chat", "run", "token"].map((name) => query.get(name) ?? "");
  return { ...(chat && { chat }), ...(run && { run }), ...(token && { token }) };
};
