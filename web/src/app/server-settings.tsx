import { type FormEvent, useId, useState } from "react";
import type { ToolFacts } from "runcast/source";
import { problemOf } from "../session/access.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { useCell } from "../kit/cell.ts";
import { Field } from "../kit/field.tsx";
import { usePage } from "../session/page-context.ts";
import { counted, sentence } from "runcast/view";
import { keepServerKey, readServerKey, type SavedServer } from "../session/settings.ts";
import { IconClose } from "../kit/shell-icons.tsx";

type Check =
  | { readonly status: "checking" }
  | { readonly status: "ok"; readonly tools: readonly ToolFacts[] }
  | { readonly status: "bad"; readonly why: string };

/** MCP servers that runs may use, which the server reaches over HTTP: add, test, toggle, and remove them. */
export const ServerSettings = () => {
  const { settings, access } = usePage();
  const { servers } = useCell(settings);
  const [checks, setChecks] = useState<Readonly<Record<string, Check>>>({});

  /** Tests a server. Turns it off if it fails, because runs could not use it, and on again when it works. */
  const check = async ({ name, url }: SavedServer, isNew = false): Promise<void> => {
    const wasBad = checks[name]?.status === "bad";
    const show = (check: Check) => setChecks((before) => ({ ...before, [name]: check }));
    show({ status: "checking" });
    const key = readServerKey(name);
    try {
      show({ status: "ok", tools: await access.checkServer({ url, ...(key !== undefined && { key }) }) });
      if (isNew || wasBad) toggle(name, true);
    } catch (error) {
      const { code, message, hint } = problemOf(error);
      // A server that offers no check reports nothing against it.
      const isOn = code === "no-check";
      const why = `${sentence(message)}${hint ? ` ${sentence(hint)}` : ""}`;
      show({ status: "bad", why: isOn ? why : `${why} It is off.` });
      if (isNew || !isOn) toggle(name, isOn);
    }
  };
  const add = (server: SavedServer, key: string): void => {
    keepServerKey(server.name, key);
    settings.change({ servers: [...servers.filter(({ name }) => name !== server.name), server] });
    void check(server, true);
  };
  const toggle = (wanted: string, enabled: boolean): void =>
    settings.change({
      servers: settings.get().servers.map((server) => (server.name === wanted ? { ...server, enabled } : server)),
    });
  const remove = (wanted: string): void => {
    keepServerKey(wanted, "");
    settings.change({ servers: servers.filter(({ name }) => name !== wanted) });
  };

  return (
    <div className="flex flex-col gap-3">
      {servers.length === 0 && (
        <p className="text-sm text-soft">
          No servers yet. Agents that accept servers from a request can use the tools of the servers that you add here.
        </p>
      )}
      <ul className="flex flex-col gap-2 empty:hidden">
        {servers.map((server) => (
          <li key={server.name} className="rounded-xl border border-line px-3 py-2">
            <div className="flex items-center gap-2">
              <label className="flex min-w-0 grow items-center gap-2.5">
                <input
                  type="checkbox"
                  checked={server.enabled}
                  onChange={({ target }) => toggle(server.name, target.checked)}
                  className="size-4 accent-accent"
                />
                <span className="min-w-0">
                  <span className="block truncate text-sm font-medium">{server.name}</span>
                  <span className="block truncate text-xs text-soft">{server.url}</span>
                </span>
              </label>
              <Button kind="plain" onClick={() => void check(server)}>
                Test
              </Button>
              <IconButton label={`Remove ${server.name}`} onClick={() => remove(server.name)}>
                <IconClose className="size-4" />
              </IconButton>
            </div>
            <CheckNote check={checks[server.name]} />
          </li>
        ))}
      </ul>
      <AddServer onAdd={add} taken={servers.map(({ name }) => name)} />
    </div>
  );
};

const CheckNote = ({ check }: { readonly check: Check | undefined }) => (
  <p role="status" className="mt-1 text-xs break-words empty:hidden">
    {check?.status === "checking" && <span className="text-soft">Testing…</span>}
    {check?.status === "bad" && <span className="text-bad">{check.why}</span>}
    {check?.status === "ok" && (
      <span className="text-ok">
        Works, {counted(check.tools.length, "tool")}
        {check.tools.length > 0 && `: ${check.tools.map(({ name }) => name).join(", ")}`}
      </span>
    )}
  </p>
);

interface AddServerProps {
  readonly onAdd: (server: SavedServer, key: string) => void;
  readonly taken: readonly string[];
}

const AddServer = ({ onAdd, taken }: AddServerProps) => {
  const [mistake, setMistake] = useState("");
  const mistakeId = useId();
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const text = (field: string) => String(data.get(field) ?? "").trim();
    const url = text("url");
    if (!/^https?:\/\/\S+$/.test(url)) return setMistake("The address must start with https:// or http://.");
    const name = text("name") || new URL(url).host;
    if (taken.includes(name)) return setMistake(`A server named ${name} already exists.`);
    setMistake("");
    onAdd({ name, url, enabled: false }, text("key"));
    form.reset();
  };
  return (
    <form onSubmit={onSubmit} noValidate className="grid gap-2 rounded-xl bg-sunken p-3 sm:grid-cols-[1fr_10rem]">
      <Field name="url" label="Address" placeholder="https://host.example/mcp" describedBy={mistakeId} />
      <Field name="name" label="Name" placeholder="derived from the address" />
      <Field name="key" label="Key, if required" type="password" placeholder="stored in this tab only" />
      <Button type="submit" className="self-end">
        Add and test
      </Button>
      <p id={mistakeId} role="alert" className="text-xs text-bad empty:hidden sm:col-span-2">
        {mistake}
      </p>
    </form>
  );
};
