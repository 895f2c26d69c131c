import { useEffect, useMemo, useRef, useState } from "react";
import { type Cards, CardsProvider } from "runcast/react";
import { slowFrom } from "runcast/view";
import type { ShownRun } from "../conversations/runs.ts";
import { ProblemNote } from "../kit/problem-note.tsx";
import { loadLater } from "../kit/load-later.tsx";
import { Segments } from "../kit/segments.tsx";
import { WindowingContext } from "../kit/windowing.ts";
import { RemoteImages } from "../markdown/remote-images.tsx";
import type { Jump } from "../run/jump.ts";
import { RunView } from "../run/run-view.tsx";
import { useRunIndexes } from "../run/use-run-indexes.ts";
import { type Access, createAccess } from "../session/access.ts";
import { createRoute } from "../session/route.ts";
import { loadCards } from "./cards.ts";
import { useFollowedRun } from "../session/use-followed-run.ts";
import { useRunScreen } from "./use-run-screen.ts";

const VIEWS = [
  { value: "steps", label: "Steps" },
  { value: "time", label: "Timeline" },
] as const;
const WaterfallView = loadLater(async () => (await import("../panel/waterfall-view.tsx")).WaterfallView);

/** One run in a frame of another page that shows the agent's answer itself: its work, its asks, and its timeline. */
export const LiveApp = () => {
  const { run = "", token } = useMemo(() => createRoute().get(), []);
  // A key stored on this device must not be used for the embedding page.
  const access = useMemo(() => createAccess({ token: token ?? "", isFramed: true }), [token]);
  const shown = useFollowedRun(access, run);
  const [cards, setCards] = useState<Cards>({});
  useEffect(() => void loadCards().then(setCards), []);
  const frame = useRef<HTMLDivElement>(null);
  useReportedHeight(frame);
  return (
    <div ref={frame} className="rounded-2xl border border-line bg-page text-ink" data-live-view>
      <RemoteImages>
        <CardsProvider cards={cards}>{shown && <LiveRun shown={shown} access={access} />}</CardsProvider>
      </RemoteImages>
    </div>
  );
};

const LiveRun = ({ shown, access }: { readonly shown: ShownRun; readonly access: Access }) => {
  const { run, state, connection, liveUntil } = shown;
  const [view, setView] = useState<(typeof VIEWS)[number]["value"]>("steps");
  const [jump, setJump] = useState<Jump>();
  const { actions, scroller, content, windowing } = useRunScreen(access, run);
  const refused = connection?.status === "failed" ? connection.problem : undefined;
  if (refused && state.seq === 0)
    return (
      <div className="p-3">
        <ProblemNote problem={{ code: refused.code, message: refused.message }} />
      </div>
    );
  return (
    <>
      <header className="flex items-center gap-2 border-b border-line px-3 py-1.5">
        <h1 className="grow truncate text-xs font-semibold text-soft">{state.root.name || "Run"}</h1>
        <Segments label="View" options={VIEWS} value={view} onChange={setView} />
      </header>
      {view === "time" && (
        <div className="flex h-72 flex-col p-3 text-sm">
          <Timeline
            shown={shown}
            onJump={(node) => {
              setView("steps");
              setJump({ node });
            }}
          />
        </div>
      )}
      <main
        ref={scroller}
        hidden={view !== "steps"}
        className="relative max-h-[32rem] overflow-y-auto p-3"
        aria-label="Run"
        tabIndex={0}
      >
        <div ref={content}>
          <WindowingContext value={windowing}>
            <RunView isWorkOnly state={state} actions={actions} jump={jump} liveUntil={liveUntil} />
          </WindowingContext>
        </div>
      </main>
    </>
  );
};

const Timeline = ({
  shown: { state },
  onJump,
}: {
  readonly shown: ShownRun;
  readonly onJump: (node: string) => void;
}) => {
  const indexes = useRunIndexes(useMemo(() => [state], [state]));
  const calls = indexes.flatMap((index) => index.calls);
  const slow = useMemo(() => slowFrom(calls), [calls.length]);
  return <WaterfallView indexes={indexes} slow={slow} onJump={(_, node) => onJump(node)} />;
};

/** Reports its height to the embedding page as Open WebUI expects it: a number, and nothing else. */
const useReportedHeight = (element: React.RefObject<HTMLElement | null>): void =>
  useEffect(() => {
    const { current } = element;
    if (!current || parent === window) return;
    const postHeight = () =>
      parent.postMessage({ type: "iframe:height", height: Math.ceil(current.offsetHeight) }, "*");
    const observer = new ResizeObserver(postHeight);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
