/**
 * Open WebUI leaves a frame at 150 pixels until it posts its height. The frame cannot be measured from outside, because
 * its origin is opaque.
 */
const REPORTER = `<script>new ResizeObserver(() => parent.postMessage({ type: "iframe:height", height: Math.ceil(document.documentElement.getBoundingClientRect().height) }, "*")).observe(document.documentElement)</script>`;

/** Adds a script that posts the page's height, unless the page has its own. */
export const withHeight = (html: string): string => {
  if (html.includes("iframe:height")) return html;
  const [doctype = ""] = /^\s*<!doctype[^>]*>/i.exec(html) ?? [];
  return (doctype || "<!doctype html>") + REPORTER + html.slice(doctype.length);
};
