import { useEffect, useState } from "react";
import type { EventOf } from "runcast/events";
import type { RunActions } from "../run/actions.ts";

export interface EmbedFrameProps {
  readonly event: EventOf<"embed">;
  readonly actions: RunActions;
}

/** Rich HTML that a tool made, in a frame that can reach neither the page nor the network. */
export const EmbedFrame = ({ event, actions }: EmbedFrameProps) => {
  const html = useHtml(event, actions);
  const title = event.title ?? "Embedded content";
  if (html === undefined)
    return (
      <p className="text-sm text-soft">
        {event.url === undefined ? "Fetching…" : `${title}: pages of other sites are not embedded.`}
      </p>
    );
  return <HtmlFrame html={html} title={title} />;
};

/** The policy stands before anything that the document says, and nothing in it can be loosened by the document. */
export const HtmlFrame = ({ html, title }: { readonly html: string; readonly title: string }) => (
  <iframe
    title={title}
    sandbox="allow-scripts"
    referrerPolicy="no-referrer"
    srcDoc={`<!doctype html><meta http-equiv="content-security-policy" content="${POLICY}">${html}`}
    className="h-64 w-full resize-y overflow-auto rounded-md border border-line bg-white"
  />
);

const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; media-src data: blob:; form-action 'none'; base-uri 'none'";

const useHtml = ({ html, file }: EmbedFrameProps["event"], actions: RunActions): string | undefined => {
  const [fetched, setFetched] = useState<string>();
  useEffect(() => {
    if (html !== undefined || file === undefined || !actions.file) return;
    let isStale = false;
    const load = async () => {
      const response = await actions.file!(file);
      const text = await response.text();
      if (!isStale) setFetched(text);
    };
    load().catch(() => {});
    return () => {
      isStale = true;
    };
  }, [html, file, actions]);
  return html ?? fetched;
};
