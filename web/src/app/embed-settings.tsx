import { useEmbeds } from "../embeds/embeds-context.ts";
import { forget } from "../embeds/origins.ts";
import { PERMISSIONS, type Permission } from "../embeds/permissions.ts";
import { Button } from "../kit/button.tsx";
import { useCell } from "../kit/cell.ts";

/** What embedded documents may do, and which origins they may reach. */
export const EmbedSettings = () => {
  const embeds = useEmbeds();
  const permissions = useCell(embeds.permissions);
  const allowed = useCell(embeds.origins);
  const set = (name: Permission, isOn: boolean): void =>
    embeds.permissions.set(isOn ? [...permissions, name] : permissions.filter((permission) => permission !== name));
  return (
    <div className="flex flex-col gap-3 text-sm">
      <div className="grid gap-1.5 sm:grid-cols-2">
        {(Object.keys(PERMISSIONS) as Permission[]).map((name) => (
          <label key={name} className="flex items-center gap-2">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={permissions.includes(name)}
              onChange={({ target }) => set(name, target.checked)}
            />
            {PERMISSIONS[name]}
          </label>
        ))}
      </div>
      {Object.entries(allowed).map(([agent, reached]) => (
        <div key={agent} className="flex items-center gap-2 rounded-xl border border-line px-3 py-2">
          <p className="min-w-0 grow">
            <span className="font-medium">{agent}</span>
            <span className="block text-xs [overflow-wrap:anywhere] text-soft">may reach {reached.join(", ")}</span>
          </p>
          <Button onClick={() => embeds.origins.set(forget(agent, allowed))}>Forget</Button>
        </div>
      ))}
    </div>
  );
};
