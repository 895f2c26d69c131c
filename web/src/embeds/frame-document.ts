import type { Permission } from "./permissions.ts";

export const frameUrl = (origins: readonly string[], permissions: readonly Permission[]): string => {
  const query = new URLSearchParams([
    ...origins.map((origin) => ["origin", origin]),
    ...permissions.map((permission) => ["may", permission]),
  ]);
  return `frame${query.size > 0 ? `?${query}` : ""}`;
};

/**
 * Reports only the content's height and its policy violations to the page. Links to fragments stay within the document,
 * even if relative URLs resolve elsewhere.
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

/** The HTML with the reporter inserted. */
export const withReporter = (html: string): string => atStart(html, REPORTER);

/** Makes relative URLs in the page resolve against its origin. */
export const withBase = (html: string, url: string): string =>
  /<base\s/i.test(html) ? html : atStart(html, `<base href="${escapeAttribute(url)}">`);

/** Inserts after the doctype. Before it, the document would render in quirks mode. */
const atStart = (html: string, added: string): string => {
  const [doctype = ""] = /^\s*<!doctype[^>]*>/i.exec(html) ?? [];
  return (doctype || "<!doctype html>") + added + html.slice(doctype.length);
};

/** A page on another origin, inside a frame whose policy allows only that origin. */
export const pageAt = (url: string): string =>
  `<!doctype html><style>html,body,iframe{margin:0;width:100%;height:480px;border:0;display:block}</style><iframe sandbox="allow-scripts allow-forms allow-same-origin" referrerpolicy="no-referrer" src="${escapeAttribute(url)}"></iframe>`;

const escapeAttribute = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
