import { type FormEvent, useState } from "react";
import { createAccess, keepKey, problemOf } from "../session/access.ts";
import { Button } from "../kit/button.tsx";
import { sentence } from "runcast/view";

/** Asks for a key or token if the server requires one, and tests it before storing it: in the tab, or on the device on request. */
export const KeyForm = ({ onKey }: { readonly onKey: (key: string) => void }) => {
  const [mistake, setMistake] = useState("");
  const [isBusy, setBusy] = useState(false);
  const onSubmit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const key = String(data.get("key") ?? "").trim();
    if (!key) return setMistake("Enter a key or token.");
    setBusy(true);
    try {
      await createAccess({ key }).agents();
      keepKey(key, data.get("keep") === "on");
      onKey(key);
    } catch (error) {
      setMistake(sentence(problemOf(error).message));
    } finally {
      setBusy(false);
    }
  };
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <form
        onSubmit={(event) => void onSubmit(event)}
        className="flex w-full max-w-sm flex-col gap-3 rounded-2xl border border-line bg-card p-6"
      >
        <h1 className="text-lg font-semibold">This server requires a key or token</h1>
        <p className="text-sm text-soft">
          Use a key for this server or a token from your identity provider. To watch a single run, ask for a share link
          instead.
        </p>
        <label className="text-sm font-medium">
          Key or token
          <input
            name="key"
            type="password"
            autoComplete="current-password"
            aria-describedby="key-mistake"
            className="mt-1 block h-10 w-full rounded-lg border border-line bg-page px-3"
          />
        </label>
        <label className="flex items-center gap-2 text-sm">
          <input name="keep" type="checkbox" className="size-4 accent-accent" /> Remember on this device
        </label>
        <p id="key-mistake" role="alert" className="text-sm text-bad empty:hidden">
          {mistake}
        </p>
        <Button kind="main" type="submit" disabled={isBusy}>
          {isBusy ? "Checking…" : "Open"}
        </Button>
      </form>
    </main>
  );
};
