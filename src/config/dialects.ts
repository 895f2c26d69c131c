import type { Dialect } from "../dialect.ts";
import { native } from "../dialects/native.ts";

/** The dialects that a server speaks unless it is told otherwise. */
export const dialects: readonly Dialect[] = [native];
