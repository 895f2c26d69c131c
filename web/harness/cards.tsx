// A page with nothing but runs, the panel and the tray, for the tests of these.
import { useCallback, useMemo, useState } from "react";
import { createRoot } from "react-dom/client";
import { createClient, type RunHandle } from "runcast/client";
import type { RunState } from "runcast/state";
import { AskTray } from "../src/panel/ask-tray.tsx";
import { ToolsPanel } from "../src/panel/tools-panel.tsx";
import { createRunActions, type RunActions } from "../src/run/actions.ts";
import type { Jump } from "../src/run/jump.ts";
import { RunView } from "../src/run/run-view.tsx";
import "../src/page.css";

const client = createClient({ url: "" });
const query = new URLSearchParams(location.search);
const mayAct = !query.has("watch");

interface Shown {
  readonly handle: RunHandle;
  readonly actions: RunActions;
}

const show = (handle: RunHandle): Shown => ({
  handle,
  actions: createRunActions({
    client,
    run: handle.run,
    mayAct,
    retry: () => (document.body.dataset.retried = handle.run),
  }),
});

const Harness = () => {
  const first = useMemo(() => query.getAll("run").map((run) => show(client.follow(run))), []);
  const [runs, setRuns] = useState<readonly Shown[]>(first);
  const [jump, setJump] = useState<{ readonly run: RunState; readonly jump: Jump }>();
  const states = useMemo(() => runs.map(({ handle }) => handle.state), [runs]);
  const onJump = useCallback((run: RunState, node: string) => setJump({ run, jump: { node } }), []);
  const actionsOf = useCallback((run: RunState) => runs.find(({ handle }) => handle.state === run)!.actions, [runs]);
  return (
    <div className="flex flex-col gap-4 p-4 md:h-screen md:flex-row">
      <main className="mx-auto flex min-h-0 w-full max-w-3xl min-w-0 flex-1 flex-col gap-4 md:overflow-y-auto md:px-2">
        <h1 className="sr-only">Runs</h1>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const message = String(new FormData(event.currentTarget).get("message"));
            setRuns([...runs, show(client.start({ message }))]);
          }}
        >
          <input name="message" aria-label="Message" className="w-full border border-line" />
        </form>
        {runs.map(({ handle, actions }) => (
          <RunView
            key={handle.run}
            state={handle.state}
            actions={actions}
            jump={jump?.run === handle.state ? jump.jump : undefined}
          />
        ))}
        <AskTray runs={states} actionsOf={actionsOf} onJump={onJump} />
      </main>
      {!query.has("alone") && (
        <aside aria-label="Side" className="h-[32rem] md:h-full md:w-96">
          <ToolsPanel runs={states} onJump={onJump} />
        </aside>
      )}
    </div>
  );
};

createRoot(document.querySelector("#root")!).render(<Harness />);
