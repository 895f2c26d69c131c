import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { RunRequest } from "../../source.ts";
import type { Definition } from "./definition.ts";

export const modelOf = async ({ model }: Definition, request: RunRequest): Promise<LanguageModelV4> =>
  typeof model === "function" ? model(request) : model;
