import type { ModelFormat } from "./format.ts";
import { anthropicMessages } from "./formats/anthropic-messages.ts";
import { chatCompletions } from "./formats/chat-completions.ts";

export const formats: readonly ModelFormat[] = [chatCompletions, anthropicMessages];
