import { agUi } from "../../src/dialects/ag-ui.ts";
import { encoderOf } from "./encoder.ts";

export const client = encoderOf(agUi);
