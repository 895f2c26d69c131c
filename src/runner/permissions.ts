import type { Event } from "../events.ts";
import { ALLOWED, isPermission, type PermissionEvent, UPSTREAM } from "../protocol.ts";
import { Refusal } from "../source.ts";
import type { OpenAgent, OpenAsk } from "../verify.ts";

/** What the answers of a run allow for the rest of it, as its `data` named `allowed` says. */
export interface Permissions {
  take(event: PermissionEvent): void;
  isRevoked(ask: string): boolean;
  /** Idempotent. Throws a Refusal if there is nothing that can be revoked. */
  revoke(ask: OpenAsk): "accepted" | "same";
}

export const createPermissions = (emit: (event: Event) => void): Permissions => {
  // Few runs have any.
  let known: Map<string, PermissionEvent["value"]> | undefined;
  return {
    take({ id, value }) {
      // What a user revoked stays revoked, even if a tool emits data with this name.
      if (known?.get(id) !== false) (known ??= new Map()).set(id, value);
    },
    isRevoked: (ask) => known?.get(ask) === false,
    revoke({ id, agent }) {
      const value = known?.get(id);
      if (isOver(agent)) throw refused("ask-closed", "the run has ended, and its permissions have ended with it");
      if (value === false) return "same";
      if (value === UPSTREAM)
        throw refused("not-revocable", "the agent runs on another server, and only that server can revoke this");
      if (value === undefined)
        throw refused("not-revocable", "this question was not answered with an `always` that can be revoked");
      // The sub-agent that asked may have ended, but its tools are still allowed, so this is the root's.
      emit({ type: "data", name: ALLOWED, id, value: false });
      return "accepted";
    },
  };
};

/** Whether the event shows that the permission of this ask is revoked. */
export const revokes = (event: Event, ask: string): boolean =>
  isPermission(event) && event.id === ask && event.value === false;

const isOver = (agent: OpenAgent): boolean => (agent.parent ? isOver(agent.parent) : !agent.open);

const refused = (code: string, message: string): Refusal =>
  new Refusal(code, message, { status: 409, hint: "see the run's data named allowed, one per ask" });
