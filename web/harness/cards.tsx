// A page with nothing but runs, the panel and the tray, for the tests of these.
import { useMemo, useState } from "react";
import { createRoot } from "react-dom/client";
import { createClient, type RunHandle } from "runcast/client";
import { createRunActions, type RunActions } from "../src/run/actions.ts";
import { RunView } from "../src/run/run-view.tsx";
import "../src/page.css";

const client = createClient({ url: "" });
const mayAct = !new URLSearchParams(location.search).has("watch");

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
  const first = useMemo(
    () => new URLSearchParams(location.search).getAll("run").map((run) => show(client.follow(run))),
    [],
  );
  const [runs, setRuns] = useState<readonly Shown[]>(first);
  return (
    <main className="mx-auto flex max-w-3xl flex-col gap-4 p-4">
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
        <RunView key={handle.run} state={handle.state} actions={actions} />
      ))}
    </main>
  );
};

createRoot(document.querySelector("#root")!).render(<Harness />);
