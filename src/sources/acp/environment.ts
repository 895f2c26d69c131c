/** What programs need to find their files, settings and login. Contains no keys. */
const NEEDED = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TZ", "TERM", "TMPDIR"],
  ...["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"],
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"],
];

/** The agent's environment: the variables that every program needs, and those that the configuration names or sets. */
export const environmentOf = (env: readonly string[] | Readonly<Record<string, string>>): Record<string, string> => {
  const names = isList(env) ? [...NEEDED, ...env] : NEEDED;
  const taken: [string, string][] = names.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(taken), ...(isList(env) ? {} : env) };
};

const isList = (env: readonly string[] | Readonly<Record<string, string>>): env is readonly string[] =>
  Array.isArray(env);
