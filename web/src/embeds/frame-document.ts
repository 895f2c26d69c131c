import type { Permission } from "./permissions.ts";

export const frameUrl = (origins: readonly string[], permissions: readonly Permission[]): string => {
  const query = new URLSearchParams([
    ...origins.map((origin) => ["origin", origin]),
    ...permissions.map((permission) => ["may", permission]),
  ]);
  return `frame${query.size > 0 ? `?${query}` : ""}`;
};

/** Tells the page how high the content is and what its policy refused, and nothing else. */
const REPORTER = `<script>(() => {
  const say = (message) => parent.postMessage({ runcast: message }, "*");
  addEventListener("securitypolicyviolation", ({ blockedURI }) => say({ blocked: String(blockedURI) }));
  new ResizeObserver(() => say({ height: document.documentElement.getBoundingClientRect().height })).observe(document.documentElement);
})();</script>`;

/** The HTML with the reporter in it, behind the doctype: before it, the document would be shown as browsers of 1998 did. */
export const withReporter = (html: string): string => {
  const [doctype = ""] = /^\s*<!doctype[^>]*>/i.exec(html) ?? [];
  return (doctype || "<!doctype html>") + REPORTER + html.slice(doctype.length);
};

/** A page elsewhere, inside a frame whose policy allows that origin alone. */
export const pageAt = (url: string): string =>
  `<!doctype html><style>html,body,iframe{margin:0;width:100%;height:480px;border:0;display:block}</style><iframe sandbox="allow-scripts allow-forms allow-same-origin" referrerpolicy="no-referrer" src="${escapeAttribute(url)}"></iframe>`;

const escapeAttribute = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
