/** What a request reveals about its client: its AG-UI version and its id of the run. */
export interface ClientStyle {
  /** Clients before 1.0 fail on some values and on unknown events. */
  readonly version: 0 | 1;
  /** The client's id, which it sets for each request. Never one of ours. */
  readonly runId?: string;
}

/** Encoded as the style of a command, to pass it to the encoder. */
export const styleText = ({ version, runId }: ClientStyle): string =>
  runId === undefined ? `${version}` : `${version} ${encodeURIComponent(runId)}`;

export const readStyle = (style: string | undefined): ClientStyle => {
  const [, version, runId] = /^([01])(?: (\S+))?$/.exec(style ?? "") ?? [];
  return { version: version === "0" ? 0 : 1, ...(runId !== undefined && { runId: decoded(runId) }) };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
