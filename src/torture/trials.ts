import type { Trial } from "./trial.ts";
import { approvalAfterReload } from "./trials/approval-after-reload.ts";
import { approvalAfterRestart } from "./trials/approval-after-restart.ts";
import { approval } from "./trials/approval.ts";
import { badBody } from "./trials/bad-body.ts";
import { cancelNotDisconnect } from "./trials/cancel-not-disconnect.ts";
import { cutAnywhere } from "./trials/cut-anywhere.ts";
import { cutBeforeHead } from "./trials/cut-before-head.ts";
import { failingTool } from "./trials/failing-tool.ts";
import { hostileText } from "./trials/hostile-text.ts";
import { hugeResult } from "./trials/huge-result.ts";
import { lateViewer } from "./trials/late-viewer.ts";
import { manyTokens } from "./trials/many-tokens.ts";
import { parallelAgents } from "./trials/parallel-agents.ts";
import { parallelTools } from "./trials/parallel-tools.ts";
import { serverKilled } from "./trials/server-killed.ts";
import { silentMinute } from "./trials/silent-minute.ts";
import { slowViewer } from "./trials/slow-viewer.ts";
import { twoViewers } from "./trials/two-viewers.ts";
import { unknownAgent } from "./trials/unknown-agent.ts";

/** In the order of the report: trials that mostly wait, and then trials that kill the server, come last. */
export const trials: readonly Trial[] = [
  cutAnywhere,
  cutBeforeHead,
  twoViewers,
  lateViewer,
  slowViewer,
  cancelNotDisconnect,
  parallelTools,
  failingTool,
  parallelAgents,
  approval,
  approvalAfterReload,
  manyTokens,
  hugeResult,
  hostileText,
  unknownAgent,
  badBody,
  silentMinute,
  serverKilled,
  approvalAfterRestart,
];
