import { useCallback, useEffect, useRef, useState } from "react";
import type { Problem } from "runcast/events";
import { problemOf } from "../session/access.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { usePage } from "../session/page-context.ts";
import { ProblemNote } from "../kit/problem-note.tsx";
import { saveFile } from "../kit/save-file.ts";
import { LinkList, type ListedLink } from "./link-list.tsx";

const LIFETIMES = [
  { name: "1 hour", seconds: 3600 },
  { name: "1 day", seconds: 86_400 },
  { name: "7 days", seconds: 7 * 86_400 },
  { name: "30 days", seconds: 30 * 86_400 },
] as const;

interface Link {
  readonly id: string;
  readonly url: string;
  readonly expires: number;
}

/** Links for others to watch a run live, and the run as a file. */
export const ShareDialog = ({ run, onClose }: { readonly run: string; readonly onClose: () => void }) => {
  const { access, route } = usePage();
  const [seconds, setSeconds] = useState<number>(86_400);
  const [mayAnswer, setMayAnswer] = useState(false);
  const [withRequest, setWithRequest] = useState(false);
  const [link, setLink] = useState<Link>();
  const [links, setLinks] = useState<readonly ListedLink[]>([]);
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const path = `/runs/${encodeURIComponent(run)}`;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  const list = useCallback(async (): Promise<void> => {
    const response = await access.ask(`${path}/links`);
    setLinks(((await response.json()) as { links: readonly ListedLink[] }).links);
  }, [access, path]);
  useEffect(() => {
    list().catch((error: unknown) => setProblem(problemOf(error)));
  }, [list]);
  const createLink = async (): Promise<void> => {
    const response = await access.ask(`${path}/links`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ expiresInSeconds: seconds, answer: mayAnswer, request: withRequest }),
    });
    const { id, token, expires } = (await response.json()) as { id: string; token: string; expires: number };
    setLink({ id, url: new URL(route.href({ run, token }), new URL(".", location.href)).href, expires });
    await list();
  };
  const revoke = async ({ id }: ListedLink): Promise<void> => {
    await access.ask(`${path}/links/${id}`, { method: "DELETE" });
    if (link?.id === id) setLink(undefined);
    await list();
  };
  const save = (name: string, mediaType: string) => async (): Promise<void> => {
    const response = await access.ask(`${path}/export.${name}`);
    saveFile(`${run}.${name}`, new Blob([await response.arrayBuffer()], { type: mediaType }));
  };
  return (
    <Dialog title="Share this run" onClose={onClose}>
      <div className="flex flex-col gap-6 text-sm">
        <section aria-label="Link" className="flex flex-col gap-3">
          <p>
            Anyone with the link can watch this run and see everything it did. They cannot see other runs, your
            instructions or earlier messages.
          </p>
          <div className="flex flex-col gap-1">
            <Choice isOn={mayAnswer} onChange={setMayAnswer}>
              Let them answer this run's questions, including approvals
            </Choice>
            <Choice isOn={withRequest} onChange={setWithRequest}>
              Include the instructions and earlier messages
            </Choice>
          </div>
          <div className="flex flex-wrap items-center gap-2">
            <label className="flex items-center gap-2">
              Expires after
              <select
                value={seconds}
                onChange={(event) => setSeconds(Number(event.target.value))}
                className="min-h-9 rounded-lg border border-line bg-card px-2"
              >
                {LIFETIMES.map((lifetime) => (
                  <option key={lifetime.seconds} value={lifetime.seconds}>
                    {lifetime.name}
                  </option>
                ))}
              </select>
            </label>
            <Button kind="main" disabled={isBusy} onClick={() => void attempt(createLink)}>
              {link ? "Create another link" : "Create link"}
            </Button>
          </div>
          {link && <CopyField link={link} />}
          {links.length > 0 && (
            <LinkList links={links} isBusy={isBusy} onRevoke={(listed) => void attempt(() => revoke(listed))} />
          )}
        </section>
        <section aria-label="File" className="flex flex-col gap-3 border-t border-line pt-4">
          <p>
            Save the run as one file that plays offline. Runcast removes keys, tokens and passwords that it recognizes.
            Review the file before you share it.
          </p>
          <div className="flex flex-wrap gap-2">
            <Button disabled={isBusy} onClick={() => void attempt(save("html", "text/html"))}>
              Save as HTML
            </Button>
            <Button disabled={isBusy} onClick={() => void attempt(save("jsonl", "application/x-ndjson"))}>
              Save the raw log
            </Button>
          </div>
        </section>
        {problem && <ProblemNote problem={problem} />}
      </div>
    </Dialog>
  );
};

interface ChoiceProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly children: string;
}

const Choice = ({ isOn, onChange, children }: ChoiceProps) => (
  <label className="flex items-center gap-2">
    <input
      type="checkbox"
      checked={isOn}
      onChange={(event) => onChange(event.target.checked)}
      className="size-4 shrink-0 accent-accent"
    />
    {children}
  </label>
);

const CopyField = ({ link: { url, expires } }: { readonly link: Link }) => {
  const field = useRef<HTMLInputElement>(null);
  const [status, setStatus] = useState("");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(url);
      setStatus("Copied.");
    } catch {
      // A page without https has no clipboard access. Select the text so the user can copy it.
      field.current?.select();
      setStatus("Press Ctrl+C or ⌘C to copy.");
    }
  };
  return (
    <div className="flex flex-col gap-1">
      <div className="flex gap-2">
        <input
          ref={field}
          readOnly
          value={url}
          aria-label="Link to this run"
          onFocus={(event) => event.target.select()}
          className="min-h-9 min-w-0 grow rounded-lg border border-line bg-sunken px-2 font-mono text-xs"
        />
        <Button onClick={() => void copy()}>Copy</Button>
      </div>
      <p className="text-xs text-soft">
        Expires {new Date(expires).toLocaleString()}. <span role="status">{status}</span>
      </p>
    </div>
  );
};
