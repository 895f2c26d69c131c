import { z } from "zod";
import { RIGHTS } from "../access.ts";
import type { Dialect } from "../dialect.ts";
import type { Log } from "../log.ts";
import type { EndedRun } from "../runner.ts";
import { type Source, agentFactsSchema } from "../source.ts";
import { byName, plainName, strictFields } from "../strict-fields.ts";
import { type LogName, type LogUrl, isLogName, isLogUrl, logs, logUrls } from "./logs.ts";

const word = "setting";
const text = z.string({ error: "must be a string" }).min(1, { error: "must not be empty" });
const flag = z.boolean({ error: "must be true or false" });
const positive = (unit: string) => {
  const error = `must be a whole number of ${unit}, at least 1`;
  return z.int({ error }).positive({ error });
};
const runsOrNone = z
  .int({ error: "must be a whole number of runs, or 0" })
  .min(0, { error: "must be a whole number of runs, or 0" });
const texts = z.array(text, { error: "must be a list of strings" });
const isFunction = (value: unknown): boolean => typeof value === "function";
const hasFunctions = (value: unknown, names: readonly string[]): boolean =>
  typeof value === "object" &&
  value !== null &&
  names.every((name) => isFunction((value as Record<string, unknown>)[name]));

const logNames = [...Object.keys(logs), ...logUrls].map((name) => JSON.stringify(name));

const agentSchema = z
  .custom<Source>(isFunction, { error: "must be a source (a function), such as agent({ … })" })
  .superRefine((source, context) => {
    const { error } = agentFactsSchema.optional().safeParse(source.about);
    for (const { path, message } of error?.issues ?? [])
      context.addIssue({ code: "custom", path: ["about", ...path], message });
  });

const limitsSchema = strictFields(
  {
    bodyBytes: positive("bytes").optional(),
    fileBytes: positive("bytes").optional(),
    filesBytes: positive("bytes").optional(),
    files: positive("files").optional(),
    uploadBytes: positive("bytes").optional(),
    pendingBodyBytes: positive("bytes").optional(),
    userBytesPerDay: positive("bytes").optional(),
    bytesPerDay: positive("bytes").optional(),
    userTokensPerDay: positive("tokens").optional(),
    tokensPerDay: positive("tokens").optional(),
    concurrentRuns: positive("runs").optional(),
    userConcurrentRuns: positive("runs").optional(),
    queuedRuns: runsOrNone.optional(),
    userQueuedRuns: runsOrNone.optional(),
    streams: positive("streams").optional(),
    loopDelayMs: positive("milliseconds").optional(),
    startsPerMinute: positive("requests").optional(),
    controlsPerMinute: positive("requests").optional(),
    readsPerMinute: positive("requests").optional(),
    wrongKeysPerMinute: positive("requests").optional(),
  },
  { word, expected: "an object" },
);

const retentionSchema = strictFields(
  { maxAgeMs: positive("milliseconds").optional(), maxRuns: positive("runs").optional() },
  { word, expected: "an object" },
);

const dollarsError = "must be a number of dollars per million tokens, from 0 to 1,000,000";
const dollars = z.number({ error: dollarsError }).min(0, { error: dollarsError }).max(1e6, { error: dollarsError });
const pricesSchema = z.record(
  text,
  strictFields(
    { input: dollars, output: dollars, cachedInput: dollars.optional() },
    { word, expected: "an object with input and output" },
  ),
  { error: "must be an object of prices by model" },
);

const portError = "must be a whole number from 0 (any free port) to 65535";
const keyError = "must be a string of at least 8 characters without spaces, or a list of such strings";
const isKey = (value: unknown): boolean => typeof value === "string" && /^\S{8,}$/.test(value);

const rightsError = `must be a list of rights: ${RIGHTS.join(", ")}`;
const keySchema = strictFields(
  {
    name: plainName,
    key: z.custom<string>(isKey, { error: "must be a string of at least 8 characters without spaces" }),
    rights: z
      .array(z.enum(RIGHTS, { error: `must be one of ${RIGHTS.join(", ")}` }), { error: rightsError })
      .optional(),
    user: text.optional(),
    onBehalf: flag.optional(),
  },
  { word, expected: "an object with a name and a key" },
);

const jwtSchema = strictFields(
  {
    jwks: z.url({ error: "must be the URL of the provider's keys" }),
    issuer: text,
    audience: z.union([text, texts], { error: "must be a string or a list of strings" }),
    user: text.optional(),
    rights: text.optional(),
  },
  { word, expected: "an object with jwks, issuer and audience" },
);

/** The schema of a configuration. Each message continues the name of its field. */
export const configSchema = strictFields(
  {
    agents: byName(agentSchema, "an object of agents by name")
      .refine((agents) => Object.keys(agents).length > 0, { error: "must have at least one agent" })
      .optional(),
    defaultAgent: text.optional(),
    log: z
      .custom<Log | LogName | LogUrl>(
        (value) => isLogName(value) || isLogUrl(value) || hasFunctions(value, ["append", "read", "watch"]),
        { error: `must be ${logNames.join(", ")} or a Log` },
      )
      .optional(),
    host: text.optional(),
    port: z.int({ error: portError }).min(0, { error: portError }).max(65_535, { error: portError }).optional(),
    key: z
      .custom<string | string[]>(
        (value) => (Array.isArray(value) ? value.length > 0 && value.every(isKey) : isKey(value)),
        {
          error: keyError,
        },
      )
      .optional(),
    keys: z
      .array(keySchema, { error: "must be a list of keys" })
      .refine((keys) => new Set(keys.map(({ name }) => name)).size === keys.length, {
        error: "must have different names",
      })
      .optional(),
    jwt: jwtSchema.optional(),
    keyInPath: flag.optional(),
    basePath: z
      .string({ error: "must be a string" })
      .regex(/^(?:\/[\w.~-]+)+\/?$/, { error: "must be a path, such as /runcast" })
      .optional(),
    hosts: texts.optional(),
    origins: texts.optional(),
    frameAncestors: texts.optional(),
    trustProxy: z
      .union([z.boolean(), z.int().min(0).max(10)], { error: "must be true, false or the number of proxies" })
      .optional(),
    allowPrivate: texts.optional(),
    publicUrl: z.url({ error: "must be a URL, such as https://runs.example.org" }).optional(),
    secret: z.string({ error: "must be a string" }).min(16, { error: "must have at least 16 characters" }).optional(),
    cards: text
      .refine((file) => /\.m?js$/.test(file), { error: "must be a JavaScript module: .js or .mjs" })
      .optional(),
    redact: z
      .array(
        z.custom<string | RegExp>((value) => value instanceof RegExp || (typeof value === "string" && value !== ""), {
          error: "must be a string or a regular expression",
        }),
        { error: "must be a list of strings and regular expressions" },
      )
      .optional(),
    logFormat: z.enum(["text", "json"], { error: 'must be "text" or "json"' }).optional(),
    logMessages: flag.optional(),
    limits: limitsSchema.optional(),
    timeoutMs: positive("milliseconds").optional(),
    handOverMs: positive("milliseconds").optional(),
    maxBytes: positive("bytes").optional(),
    prices: pricesSchema.optional(),
    retention: retentionSchema.optional(),
    onEnd: z.custom<(ended: EndedRun) => unknown>(isFunction, { error: "must be a function" }).optional(),
    dialects: z
      .array(
        z.custom<Dialect>((value) => hasFunctions(value, ["read", "write", "encode", "decode"]), {
          error: "must be a dialect, such as native",
        }),
        { error: "must be a list of dialects" },
      )
      .min(1, { error: "must name at least one dialect" })
      .optional(),
  },
  { word, expected: "an object: export default defineConfig({ … })" },
);
