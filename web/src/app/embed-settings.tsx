import { useState } from "react";
import { createAllowedOrigins } from "../embeds/origins.ts";
import { PERMISSIONS, type Permission, readPermissions, writePermissions } from "../embeds/permissions.ts";
import { Button } from "./button.tsx";

/** What embedded documents may do, and which origins they may reach. */
export const EmbedSettings = () => {
  const [permissions, setPermissions] = useState(() => readPermissions(localStorage));
  const [origins] = useState(() => createAllowedOrigins(localStorage));
  const [allowed, setAllowed] = useState(() => origins.list());
  const set = (name: Permission, isOn: boolean): void => {
    const next = isOn ? [...permissions, name] : permissions.filter((permission) => permission !== name);
    writePermissions(localStorage, next);
    setPermissions(next);
  };
  const forget = (agent: string): void => {
    origins.forget(agent);
    setAllowed(origins.list());
  };
  return (
    <div className="flex flex-col gap-3 text-sm">
      <div className="grid gap-1.5 sm:grid-cols-2">
        {(Object.keys(PERMISSIONS) as Permission[]).map((name) => (
          <label key={name} className="flex items-center gap-2">
            <input
              type="checkbox"
              className="size-4 accent-(--accent)"
              checked={permissions.includes(name)}
              onChange={({ target }) => set(name, target.checked)}
            />
            {PERMISSIONS[name]}
          </label>
        ))}
      </div>
      {allowed.map(({ agent, origins: reached }) => (
        <div key={agent} className="flex items-center gap-2 rounded-xl border border-line px-3 py-2">
          <p className="min-w-0 grow">
            <span className="font-medium">{agent}</span>
            <span className="block text-xs [overflow-wrap:anywhere] text-soft">may reach {reached.join(", ")}</span>
          </p>
          <Button onClick={() => forget(agent)}>Forget</Button>
        </div>
      ))}
    </div>
  );
};
