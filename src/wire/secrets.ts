const PREFIX = "runcast-secret-";

/** Secrets are sent as individual headers. Header names are case-insensitive, so secrets are named like environment variables. */
export const readSecrets = (headers: Headers): Record<string, string> | undefined => {
  const secrets: Record<string, string> = {};
  for (const [name, value] of headers)
    if (name.startsWith(PREFIX)) secrets[name.slice(PREFIX.length).toUpperCase().replaceAll("-", "_")] = value;
  return Object.keys(secrets).length > 0 ? secrets : undefined;
};

export const writeSecrets = (secrets: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(secrets).map(([name, value]) => [PREFIX + name.toLowerCase().replaceAll("_", "-"), value]),
  );
