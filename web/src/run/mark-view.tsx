import { memo } from "react";
import { useNode } from "runcast/react";
import type { MarkNode } from "runcast/state";
import { IconCheck, IconCross, IconInfo, IconWarning } from "../kit/icons.tsx";
import { EmbedFrame } from "../embeds/embed-frame.tsx";
import { visibleText } from "runcast/markdown";
import { FileView } from "./file-view.tsx";
import { useRunContext } from "./run-context.ts";
import { SafeLink } from "./safe-link.tsx";

/** Something said once: a notice, a file, an embed. */
export const MarkView = memo(({ node }: { readonly node: MarkNode }) => {
  const { state, actions } = useRunContext();
  const { event } = useNode(state, node);
  switch (event.type) {
    case "notice": {
      const { Icon, color } = LEVELS[event.level];
      return (
        <p className="flex items-start gap-2 text-sm" data-notice={event.level}>
          <span className={`mt-0.5 ${color}`}>
            <Icon />
          </span>
          <span className="[overflow-wrap:anywhere]">
            <span className="sr-only">{event.level}: </span>
            {visibleText(event.text)}
          </span>
        </p>
      );
    }
    case "file":
      return event.file === undefined ? (
        <p className="text-sm">
          <SafeLink url={event.url ?? ""} title={event.name} />{" "}
          {event.change && <span className="text-soft">{event.change}</span>}
        </p>
      ) : (
        <div className="rounded-lg border border-line bg-card p-2.5">
          <FileView file={{ ...event, file: event.file }} />
        </div>
      );
    case "embed": {
      const caller = event.call === undefined ? undefined : state.nodes.get(event.call);
      return (
        <EmbedFrame
          event={event}
          agent={state.root.name}
          call={caller?.kind === "call" ? caller : undefined}
          read={actions.file}
          onDraft={actions.draft}
        />
      );
    }
    default:
      return null;
  }
});

const LEVELS = {
  info: { Icon: IconInfo, color: "text-accent" },
  success: { Icon: IconCheck, color: "text-ok" },
  warning: { Icon: IconWarning, color: "text-pending" },
  error: { Icon: IconCross, color: "text-bad" },
} as const;
