import type { Connection } from "runcast/client";
import type { RunState } from "runcast/state";
import { describeConnection, describeRun } from "runcast/view";
import { usePage } from "../session/page-context.ts";
import { IconAway, IconConnecting, IconDone, IconFailed, IconLive, IconLost } from "../kit/shell-icons.tsx";
import { useNow } from "../kit/use-now.ts";
import { StateIcon, TONES } from "../run/state-mark.tsx";

interface ConnectionStateProps {
  readonly connection: Connection | undefined;
  readonly state: RunState | undefined;
  /** Once the run is over, the connection no longer matters. */
  readonly isOver: boolean;
}

/** The state of the connection to the run, or how the run ended. States only what is known. */
export const ConnectionState = ({ connection, state, isOver }: ConnectionStateProps) => {
  const { access } = usePage();
  const status = isOver ? "finished" : (connection?.status ?? "paused");
  const now = useNow(status === "reconnecting" || (connection?.status === "live" && connection.waiting !== undefined));
  return (
    <div className="flex min-w-0 items-center gap-1.5 text-xs" data-connection={status}>
      {isOver ? <RunOver state={state} /> : <Connected connection={connection} now={now} />}
      {status === "reconnecting" && (
        <button
          type="button"
          className="-my-1 rounded-sm px-1.5 py-1 font-medium text-accent underline"
          onClick={access.wake}
        >
          Now
        </button>
      )}
    </div>
  );
};

/** Shows nothing until the run is loaded, because its outcome is not known before. */
const RunOver = ({ state }: { readonly state: RunState | undefined }) => {
  const facts = state && describeRun(state);
  if (!facts?.isOver) return null;
  return (
    <span className="flex min-w-0 items-center gap-1">
      <StateIcon badge={facts.badge} />
      <span className={`truncate ${facts.hasSucceeded ? "text-soft" : TONES[facts.badge.tone]}`}>{facts.title}</span>
    </span>
  );
};

const LOOKS = {
  paused: { Icon: IconAway, color: "text-soft" },
  closed: { Icon: IconAway, color: "text-soft" },
  connecting: { Icon: IconConnecting, color: "text-soft" },
  live: { Icon: IconLive, color: "text-ok" },
  reconnecting: { Icon: IconLost, color: "text-pending" },
  finished: { Icon: IconDone, color: "text-soft" },
  failed: { Icon: IconFailed, color: "text-bad" },
} as const;

const Connected = ({ connection, now }: { readonly connection: Connection | undefined; readonly now: number }) => {
  const { status, text, detail } = describeConnection(connection, now);
  const { Icon, color } = LOOKS[status];
  return (
    <span className={`flex min-w-0 items-center gap-1 ${color}`} title={detail || undefined}>
      <Icon className={`size-4 ${status === "connecting" ? "animate-spin motion-reduce:animate-none" : ""}`} />
      <span className="truncate">{text}</span>
    </span>
  );
};
