/** What a request tells of its client: which generation of AG-UI it reads, and what it calls the run. */
export interface ClientStyle {
  /** Clients before 1.0 reject some values, and unknown events, at once. */
  readonly version: 0 | 1;
  /** The client's own id, which it gives to each request. Never one of ours. */
  readonly runId?: string;
}

/** As the style of a command, so that it reaches the encoder. */
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
