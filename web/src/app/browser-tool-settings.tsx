import { type FormEvent, useId, useState } from "react";
import type { Json } from "runcast/events";
import type { BrowserTool } from "../embeds/browser-tool.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { useCell } from "../kit/cell.ts";
import { Field } from "../kit/field.tsx";
import { usePage } from "../session/page-context.ts";
import { IconClose } from "../kit/shell-icons.tsx";

/** Tools that this browser calls itself when an agent requests them and the user agrees. */
export const BrowserToolSettings = () => {
  const { settings } = usePage();
  const { browserTools } = useCell(settings);
  const others = (name: string) => browserTools.filter((tool) => tool.name !== name);
  return (
    <div className="flex flex-col gap-3">
      <ul className="flex flex-col gap-2 empty:hidden">
        {browserTools.map(({ name, url, method = "POST" }) => (
          <li key={name} className="flex items-center gap-2 rounded-xl border border-line px-3 py-2">
            <span className="min-w-0 grow">
              <span className="block truncate text-sm font-medium">{name}</span>
              <span className="block truncate text-xs text-soft">
                {method} {url}
              </span>
            </span>
            <IconButton label={`Remove ${name}`} onClick={() => settings.change({ browserTools: others(name) })}>
              <IconClose className="size-4" />
            </IconButton>
          </li>
        ))}
      </ul>
      <AddTool onAdd={(tool) => settings.change({ browserTools: [...others(tool.name), tool] })} />
    </div>
  );
};

const AddTool = ({ onAdd }: { readonly onAdd: (tool: BrowserTool) => void }) => {
  const id = useId();
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => String(form.get(name) ?? "").trim();
    const tool = toolOf({
      name: text("name"),
      description: text("description"),
      url: text("url"),
      method: text("method"),
      schema: text("schema"),
    });
    setProblem(typeof tool === "string" ? tool : undefined);
    if (typeof tool === "string") return;
    onAdd(tool);
    event.currentTarget.reset();
  };
  return (
    <form
      onSubmit={submit}
      noValidate
      aria-label="Add a browser tool"
      className="grid gap-2 rounded-xl bg-sunken p-3 sm:grid-cols-[1fr_10rem]"
    >
      <label className="block text-xs font-medium text-soft sm:col-span-2">
        Send arguments
        <select
          name="method"
          className="mt-1 block w-full rounded-lg border border-line bg-card px-2.5 py-1.5 text-sm text-ink"
        >
          <option value="POST">as JSON (POST)</option>
          <option value="GET">in the URL (GET)</option>
        </select>
      </label>
      <Field name="url" label="Tool URL" placeholder="https://host.example/map" describedBy={id} />
      <Field name="name" label="Tool name" placeholder="weather_map" />
      <div className="sm:col-span-2">
        <Field name="description" label="Description for the model" placeholder="Draws a weather map" />
      </div>
      <label className="block text-xs font-medium text-soft sm:col-span-2">
        JSON Schema of its arguments
        <textarea
          name="schema"
          rows={3}
          placeholder='{"type":"object","properties":{"city":{"type":"string"}}}'
          className="mt-1 block w-full rounded-lg border border-line bg-card px-2.5 py-1.5 font-mono text-xs text-ink placeholder:text-soft"
        />
      </label>
      <p id={id} className="text-xs text-soft sm:col-span-2">
        Requests have the origin null, which the tool must allow. The page shows HTML that the tool returns with
        Content-Disposition: inline.
      </p>
      <p role="alert" className="text-xs text-bad empty:hidden sm:col-span-2">
        {problem}
      </p>
      <Button type="submit" className="justify-self-start">
        Add tool
      </Button>
    </form>
  );
};

const toolOf = ({
  name,
  description,
  url,
  method,
  schema,
}: Record<"name" | "description" | "url" | "method" | "schema", string>): BrowserTool | string => {
  if (!/^[\w-]{1,64}$/.test(name)) return "Use only letters, digits, - and _ in the name.";
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return "The URL must start with https:// or http://.";
  try {
    return {
      name,
      url,
      ...(method === "GET" && { method }),
      ...(description && { description }),
      ...(schema && { schema: JSON.parse(schema) as Json }),
    };
  } catch {
    return "The schema is not valid JSON.";
  }
};
