import type { Driver, DriverOptions } from "./driver.ts";
import { agUi } from "./drivers/ag-ui.ts";
import { aiSdk } from "./drivers/ai-sdk.ts";
import { copilotkit } from "./drivers/copilotkit.ts";
import { native } from "./drivers/native.ts";

export const drivers: Readonly<Record<string, (options: DriverOptions) => Driver>> = {
  native,
  "ai-sdk": aiSdk,
  "ag-ui": agUi,
  copilotkit,
};
