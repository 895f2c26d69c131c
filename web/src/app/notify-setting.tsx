import { useState } from "react";
import { useCell } from "../kit/cell.ts";
import { allowNotifications, canNotify } from "../session/attention.ts";
import { usePage } from "../session/page-context.ts";

/** Turns notifications on, if the browser allows them. */
export const NotifySetting = () => {
  const { settings } = usePage();
  const { notify } = useCell(settings);
  const [isBlocked, setBlocked] = useState(notify && !canNotify());
  const set = async (isOn: boolean): Promise<void> => {
    const isAllowed = !isOn || (await allowNotifications());
    setBlocked(!isAllowed);
    settings.change({ notify: isOn && isAllowed });
  };
  return (
    <div className="flex flex-col gap-1.5 text-sm">
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={notify}
          onChange={({ target }) => void set(target.checked)}
        />
        Notify me when an agent has a question or finishes while this tab is hidden
      </label>
      <p role="status" className="text-xs text-bad">
        {isBlocked && "This browser blocks notifications from this page. Allow them in the browser's settings."}
      </p>
    </div>
  );
};
