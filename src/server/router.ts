import type { Dialect, Route } from "../dialect.ts";
import { Refusal } from "../source.ts";

export interface Match {
  readonly dialect: Dialect;
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the dialect route for a request. */
export interface Router {
  match(method: string, path: string, headers: Headers): Match | undefined;
  /** The methods that dialects accept on this path. */
  methods(path: string): readonly string[];
}

export const createRouter = (dialects: readonly Dialect[]): Router => {
  const mounted = dialects.flatMap((dialect) =>
    dialect.routes.map((route) => ({ dialect, route, segments: route.path.split("/") })),
  );
  const on = (path: string) => {
    const parts = path.split("/");
    return mounted.filter(({ segments }) => fits(segments, parts));
  };
  return {
    match: (method, path, headers) => {
      const wanted = method === "HEAD" ? "GET" : method;
      const candidates = on(path).filter(({ route }) => route.method === wanted);
      const found =
        candidates.find(({ route }) => route.when?.(headers)) ?? candidates.find(({ route }) => !route.when);
      return found && { dialect: found.dialect, route: found.route, params: paramsOf(found.segments, path.split("/")) };
    },
    methods: (path) => on(path).map(({ route }) => route.method),
  };
};

/** Whether a path matches a pattern with `:name` segments. */
export const fits = (segments: readonly string[], parts: readonly string[]): boolean =>
  segments.length === parts.length &&
  segments.every((segment, index) => (segment.startsWith(":") ? parts[index] !== "" : segment === parts[index]));

const paramsOf = (segments: readonly string[], parts: readonly string[]): Record<string, string> => {
  const params: Record<string, string> = {};
  segments.forEach((segment, index) => {
    if (segment.startsWith(":")) params[segment.slice(1)] = decode(parts[index] ?? "");
  });
  return params;
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Refusal("bad-path", "the path is not properly encoded", { hint: "percent-encode each segment" });
  }
};
