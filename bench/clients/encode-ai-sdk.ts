import { aiSdk } from "../../src/dialects/ai-sdk.ts";
import { encoderOf } from "./encoder.ts";

export const client = encoderOf(aiSdk);
