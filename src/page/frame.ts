/**
 * An empty document for embedded content. The page posts the HTML into it, so the HTML has an opaque origin and its own
 * policy instead of the page's: scripts run, and only the origins in the URL can be reached. It has no more power when
 * opened directly, because the policy includes `sandbox`.
 */
export const frame = ({ searchParams }: URL): Response => {
  const origins = searchParams.getAll("origin");
  const wrong = origins.find((origin) => !ORIGIN.test(origin));
  if (wrong !== undefined || origins.length > MAX_ORIGINS)
    return new Response(wrong === undefined ? `at most ${MAX_ORIGINS} origins` : "not an origin", { status: 400 });
  const may = searchParams.getAll("may").filter((permission) => PERMISSIONS.includes(permission));
  return new Response(DOCUMENT, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policyOf(origins.join(" "), may),
      "cache-control": "no-cache",
      "x-dns-prefetch-control": "off",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
};

/**
 * Never `same-origin`: this document is served from the page's own origin, and could then do everything the page can.
 */
const PERMISSIONS = ["forms", "popups", "modals", "downloads", "pointer-lock"];
const ORIGIN =
  /^(?:(?:https|wss):\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*|https?:\/\/(?:127\.0\.0\.1|localhost))(?::\d{1,5})?$/i;
const MAX_ORIGINS = 20;

const policyOf = (origins: string, may: readonly string[]): string =>
  [
    `sandbox allow-scripts ${may.map((permission) => `allow-${permission}`).join(" ")}`,
    "default-src 'none'",
    // Chart libraries compile functions at runtime. Inline scripts can already do everything such functions can.
    `script-src 'unsafe-inline' 'unsafe-eval' ${origins}`,
    `style-src 'unsafe-inline' ${origins}`,
    `img-src data: blob: ${origins}`,
    `media-src data: blob: ${origins}`,
    `font-src data: ${origins}`,
    `connect-src ${origins || "'none'"}`,
    `frame-src ${origins || "'none'"}`,
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join("; ");

/**
 * No policy covers WebRTC, so it is removed before the HTML is written. A frame created by the document still has it.
 */
const DOCUMENT = `<!doctype html><meta charset="utf-8"><title>Embedded</title><script>
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel"]) delete window[name];
addEventListener("message", function take({ source, data }) {
  if (source !== parent || typeof data?.html !== "string") return;
  removeEventListener("message", take);
  document.open();
  document.write(data.html);
  document.close();
});
parent.postMessage({ runcast: "ready" }, "*");
</script>`;
