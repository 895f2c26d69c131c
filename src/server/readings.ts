import type { Principal } from "../access.ts";
import type { Log } from "../log.ts";
import { createRunDetails, type RunDetails } from "./run-details.ts";
import { createRunRows, type RunRows } from "./run-rows.ts";
import { sharedLog } from "./shared-log.ts";
import { createStates, type States } from "./states.ts";

/** Read access to runs. */
export interface Reading {
  readonly log: Log;
  readonly states: States;
  readonly rows: RunRows;
}

/** What a principal may read of runs: everything, or what a share link shows. */
export type Readings = (principal: Principal) => Reading;

export const createReadings = (log: Log, details: RunDetails): Readings => {
  const whole = { log, states: createStates(log), rows: createRunRows(details) };
  const withoutRequest = sharedLog(log);
  const shared = {
    log: withoutRequest,
    states: createStates(withoutRequest),
    rows: createRunRows(createRunDetails(withoutRequest)),
  };
  return ({ link }) => (link && !link.request ? shared : whole);
};
