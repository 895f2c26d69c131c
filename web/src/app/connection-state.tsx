import type { Connection } from "runcast/client";
import type { RunOutcome } from "runcast/events";
import { IconBroken, IconStopped } from "../kit/icons.tsx";
import { usePage } from "../session/page-context.ts";
import { isRefusal } from "./refusal.ts";
import { sentence } from "../kit/sentence.ts";
import { IconAway, IconConnecting, IconDone, IconFailed, IconLive, IconLost } from "../kit/shell-icons.tsx";
import { useNow } from "../kit/use-now.ts";

const WAITS = {
  model: "the model",
  tool: "a tool",
  you: "you",
  retry: "the next try",
  agent: "the agent",
} as const;

interface ConnectionStateProps {
  readonly connection: Connection | undefined;
  /** How the run ended: then no connection matters any more. */
  readonly outcome: RunOutcome | undefined;
}

/** What is known of the connection to the run, and never more than that. */
export const ConnectionState = ({ connection, outcome }: ConnectionStateProps) => {
  const { access } = usePage();
  const status = outcome === undefined ? (connection?.status ?? "paused") : "finished";
  const now = useNow(status === "reconnecting" || (connection?.status === "live" && connection.waiting !== undefined));
  return (
    <div className="flex min-w-0 items-center gap-1.5 text-xs" data-connection={status}>
      {outcome === undefined ? show(connection, now) : END[outcome]}
      {status === "reconnecting" && (
        <button
          type="button"
          className="-my-1 rounded px-1.5 py-1 font-medium text-accent underline"
          onClick={access.wake}
        >
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
      const why = sentence(connection.why.message);
      // A server that answers is not lost: what it says is what there is to know.
      const words =
        connection.httpStatus === undefined
          ? `Connection lost, ${when}`
          : sentence(`${when}: ${connection.why.message}`);
      return told(IconLost, "text-pending", words, "", why);
    }
    case "finished":
      return END.done;
    case "failed":
      return told(
        IconFailed,
        "text-bad",
        isRefusal(connection.problem) ? "Refused" : "Not connected",
        "",
        sentence(connection.problem.message),
      );
  }
};

const told = (Icon: typeof IconLive, color: string, words: string, motion = "", title?: string) => (
  <span className={`flex min-w-0 items-center gap-1 ${color}`} title={title}>
    <Icon className={`size-4 ${motion}`} />
    <span className="truncate">{words}</span>
  </span>
);

const END: Readonly<Record<RunOutcome, React.ReactNode>> = {
  done: told(IconDone, "text-soft", "Finished"),
  cancelled: told(IconStopped, "text-pending", "Cancelled"),
  error: told(IconFailed, "text-bad", "Failed"),
  interrupted: told(IconBroken, "text-bad", "Interrupted"),
};
