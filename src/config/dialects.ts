import type { Dialect } from "../dialect.ts";
import { agUi } from "../dialects/ag-ui.ts";
import { aiSdk } from "../dialects/ai-sdk.ts";
import { copilotkit } from "../dialects/copilotkit.ts";
import { deepAgent } from "../dialects/deep-agent.ts";
import { forge } from "../dialects/forge.ts";
import { native } from "../dialects/native.ts";
import { openWebui } from "../dialects/open-webui.ts";
import { openaiChat } from "../dialects/openai-chat.ts";
import { openaiResponses } from "../dialects/openai-responses.ts";
import { ralph } from "../dialects/ralph.ts";

/** The default dialects of a server. */
export const dialects: readonly Dialect[] = [
  native,
  agUi,
  aiSdk,
  copilotkit,
  deepAgent,
  forge,
  openWebui,
  openaiChat,
  openaiResponses,
  ralph,
];
