import { memo } from "react";
import type { EventOf } from "runcast/events";
import { useNode } from "runcast/react";
import type { MarkNode } from "runcast/state";
import { describeAside } from "runcast/view";
import { IconCheck, IconCross, IconInfo, IconWarning } from "../kit/icons.tsx";
import { EmbedFrame } from "../embeds/embed-frame.tsx";
import { useCanEmbed } from "../embeds/embeds-context.ts";
import { FileView } from "./file-view.tsx";
import { useRunContext } from "./run-context.ts";
import { SafeLink } from "./safe-link.tsx";

/** A single-event node: a notice, a file, or an embed. */
export const MarkView = memo(({ node }: { readonly node: MarkNode }) => {
  const { state, actions } = useRunContext();
  const { event } = useNode(state, node);
  const facts = describeAside(node);
  const canEmbed = useCanEmbed();
  switch (facts.kind) {
    case "notice": {
      const { Icon, color } = LEVELS[facts.level];
      return (
        <p className="flex items-start gap-2 text-sm" data-notice={facts.level}>
          <span className={`mt-0.5 ${color}`}>
            <Icon />
          </span>
          <span className="[overflow-wrap:anywhere]">
            <span className="sr-only">{facts.level}: </span>
            {facts.text}
          </span>
        </p>
      );
    }
    case "file": {
      const file = event as EventOf<"file">;
      return file.file === undefined ? (
        <p className="text-sm">
          {facts.link ? <SafeLink link={facts.link} /> : facts.name} <span className="text-soft">{facts.about}</span>
        </p>
      ) : (
        <div className="rounded-lg border border-line bg-card p-2.5">
          <FileView file={{ ...file, file: file.file }} />
        </div>
      );
    }
    case "embed": {
      if (!canEmbed) return null;
      const embed = event as EventOf<"embed">;
      const caller = embed.call === undefined ? undefined : state.nodes.get(embed.call);
      return (
        <EmbedFrame
          title={facts.title}
          event={embed}
          agent={state.agentKey ?? state.root.name}
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
