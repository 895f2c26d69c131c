import { type ReactNode, useState } from "react";
import { keepKey } from "../session/access.ts";
import { BrowserToolSettings } from "./browser-tool-settings.tsx";
import { Button } from "../kit/button.tsx";
import { useCell } from "../kit/cell.ts";
import { useUser, YourData } from "../deletion/your-data.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { EmbedSettings } from "./embed-settings.tsx";
import { usePage } from "../session/page-context.ts";
import { ModelKeySettings, useModelKeyVariables } from "./model-key-settings.tsx";
import { NotifySetting } from "./notify-setting.tsx";
import { ServerSettings } from "./server-settings.tsx";
import type { Settings } from "../session/settings.ts";
import { IconMoon, IconScreen, IconSun } from "../kit/shell-icons.tsx";

const THEMES = [
  { value: "system", label: "System", Icon: IconScreen },
  { value: "light", label: "Light", Icon: IconSun },
  { value: "dark", label: "Dark", Icon: IconMoon },
] as const satisfies readonly { readonly value: Settings["theme"]; readonly label: string; readonly Icon: unknown }[];

export const SettingsDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { settings, access } = usePage();
  const { theme, system } = useCell(settings);
  const user = useUser();
  const modelKeys = useModelKeyVariables();
  return (
    <Dialog title="Settings" onClose={onClose}>
      <div className="flex flex-col gap-6">
        <Section title="System prompt" about="Sent with every new run.">
          <textarea
            aria-label="System prompt"
            value={system}
            onChange={({ target }) => settings.change({ system: target.value })}
            rows={3}
            placeholder="The agent's own"
            className="block max-h-60 w-full rounded-lg border border-line bg-card px-3 py-2 text-sm [field-sizing:content] placeholder:text-soft"
          />
        </Section>
        {modelKeys.variables.length > 0 && (
          <Section title="Model keys" about="Stored in this tab only. Sent with runs of the agents that need them.">
            <ModelKeySettings {...modelKeys} />
          </Section>
        )}
        <Section title="MCP servers" about="Sent with every request. The server connects to them, not this browser.">
          <ServerSettings />
        </Section>
        <Section
          title="Browser tools"
          about="Sent with every request. This browser calls them, so they can use services that only you can reach."
        >
          <BrowserToolSettings />
        </Section>
        <Section
          title="Embedded documents"
          about="They run in a sandbox and can reach only the addresses you allow. You can also let them:"
        >
          <EmbedSettings />
        </Section>
        <Section title="Appearance">
          <div role="radiogroup" aria-label="Appearance" className="inline-flex rounded-lg border border-line p-0.5">
            {THEMES.map(({ value, label, Icon }) => (
              <label
                key={value}
                className="flex cursor-pointer items-center gap-1.5 rounded-md px-3 py-1.5 text-sm text-soft has-checked:bg-tint has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2"
              >
                <input
                  type="radio"
                  name="theme"
                  className="sr-only"
                  checked={theme === value}
                  onChange={() => settings.change({ theme: value })}
                />
                <Icon className="size-4" />
                {label}
              </label>
            ))}
          </div>
        </Section>
        <Section title="Notifications">
          <NotifySetting />
        </Section>
        {user !== undefined && (
          <Section title="Your data" about={`You are signed in as ${user}.`}>
            <YourData user={user} />
          </Section>
        )}
        {access.key !== undefined && (
          <Section title="Key or token">
            <ForgetKey />
          </Section>
        )}
      </div>
    </Dialog>
  );
};

const ForgetKey = () => {
  const [isForgotten, setForgotten] = useState(false);
  const forget = (): void => {
    keepKey(undefined, false);
    setForgotten(true);
  };
  if (isForgotten)
    return (
      <p className="text-sm text-soft">Removed. You will need to enter it again the next time you open this page.</p>
    );
  return <Button onClick={forget}>Forget</Button>;
};

interface SectionProps {
  readonly title: string;
  readonly about?: string;
  readonly children: ReactNode;
}

const Section = ({ title, about, children }: SectionProps) => (
  <section aria-label={title}>
    <h3 className="text-sm font-semibold">{title}</h3>
    {about && <p className="text-xs text-soft">{about}</p>}
    <div className="mt-2">{children}</div>
  </section>
);
