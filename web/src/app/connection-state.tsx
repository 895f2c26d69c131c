import type { Connection } from "runcast/client";
import { usePage } from "./page-context.ts";
import { sentence } from "./sentence.ts";
import { IconAway, IconConnecting, IconDone, IconFailed, IconLive, IconLost } from "./shell-icons.tsx";
import { useNow } from "./use-now.ts";

const WAITS = {
  model: "the model",
  tool: "a tool",
  you: "you",
  retry: "the next try",
  agent: "the agent",
} as const;

/** What is known of the connection to the run, and never more than that. */
export const ConnectionState = ({ connection }: { readonly connection: Connection | undefined }) => {
  const { access } = usePage();
  const status = connection?.status ?? "paused";
  const now = useNow(status === "reconnecting" || (connection?.status === "live" && connection.waiting !== undefined));
  return (
    <div className="flex min-w-0 items-center gap-1.5 text-xs" data-connection={status}>
      {show(connection, now)}
      {status === "reconnecting" && (
        <button type="button" className="rounded px-1.5 py-1 font-medium text-accent underline" onClick={access.wake}>
          Now
        </button>
      )}
    </div>
  );
};

const show = (connection: Connection | undefined, now: number) => {
  switch (connection?.status) {
    case undefined:
    case "closed":
      return told(IconAway, "text-soft", "Paused");
    case "connecting":
      return told(IconConnecting, "text-soft", "Connecting…", "animate-spin motion-reduce:animate-none");
    case "live": {
      const { waiting } = connection;
      if (!waiting) return told(IconLive, "text-ok", "Live");
      const seconds = Math.max(0, Math.round((now - waiting.since) / 1000));
      return told(IconLive, "text-ok", `Live, waiting for ${WAITS[waiting.waiting]} for ${seconds} s`);
    }
    case "reconnecting": {
      const seconds = Math.ceil((connection.nextAt - now) / 1000);
      const when = seconds > 0 ? `again in ${seconds} s` : "trying now";
      return told(IconLost, "text-pending", `Connection lost, ${when}`, "", sentence(connection.why.message));
    }
    case "finished":
      return told(IconDone, "text-soft", "Finished");
    case "failed":
      return told(IconFailed, "text-bad", "Not connected", "", sentence(connection.problem.message));
  }
};

const told = (Icon: typeof IconLive, color: string, words: string, motion = "", title?: string) => (
  <span className={`flex min-w-0 items-center gap-1 ${color}`} title={title}>
    <Icon className={`size-4 ${motion}`} />
    <span className="truncate">{words}</span>
  </span>
);
