import type { Permission } from "./permissions.ts";

export const frameUrl = (origins: readonly string[], permissions: readonly Permission[]): string => {
  const query = new URLSearchParams([
    ...origins.map((origin) => ["origin", origin]),
    ...permissions.map((permission) => ["may", permission]),
  ]);
  return `frame${query.size > 0 ? `?${query}` : ""}`;
};

/**
 * Tells the page how high the content is and what its policy refused, and nothing else. A link to a place within the document stays
 * there, also where relative addresses lead elsewhere.
 */
const REPORTER = `<script>(() => {
  const say = (message) => parent.postMessage({ runcast: message }, "*");
  addEventListener("click", (event) => {
    const href = event.target.closest?.("a[href]")?.getAttribute("href");
    if (!href?.startsWith("#") || event.defaultPrevented) return;
    event.preventDefault();
    location.hash = href;
  });
  addEventListener("securitypolicyviolation", ({ blockedURI }) => say({ blocked: String(blockedURI) }));
  new ResizeObserver(() => say({ height: document.documentElement.getBoundingClientRect().height })).observe(document.documentElement);
})();</script>`;

/** The HTML with the reporter in it. */
export const withReporter = (html: string): string => atStart(html, REPORTER);

/** The page's own relative addresses lead to where it came from. */
export const withBase = (html: string, url: string): string =>
  /<base\s/i.test(html) ? html : atStart(html, `<base href="${escapeAttribute(url)}">`);

/** Behind the doctype: before it, the document would be shown as browsers of 1998 did. */
const atStart = (html: string, added: string): string => {
  const [doctype = ""] = /^\s*<!doctype[^>]*>/i.exec(html) ?? [];
  return (doctype || "<!doctype html>") + added + html.slice(doctype.length);
};

/** A page elsewhere, inside a frame whose policy allows that origin alone. */
export const pageAt = (url: string): string =>
  `<!doctype html><style>html,body,iframe{margin:0;width:100%;height:480px;border:0;display:block}</style><iframe sandbox="allow-scripts allow-forms allow-same-origin" referrerpolicy="no-referrer" src="${escapeAttribute(url)}"></iframe>`;

const escapeAttribute = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
