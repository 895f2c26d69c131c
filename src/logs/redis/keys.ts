/**
 * What lies where. Everything of a run has the run's id as its hash tag, so that one script can reach all of it on a
 * cluster. What spans runs has a tag of its own.
 */
export const createKeys = (prefix: string) => {
  const index = `${prefix}:{index}`;
  return {
    channel: `${prefix}:wake`,
    info: (run: string) => `${prefix}:{${run}}:info`,
    entries: (run: string) => `${prefix}:{${run}}:entries`,
    controls: (run: string) => `${prefix}:{${run}}:controls`,
    controlIds: (run: string) => `${prefix}:{${run}}:control-ids`,
    files: (run: string) => `${prefix}:{${run}}:files`,
    file: (run: string, file: string) => `${prefix}:{${run}}:file:${file}`,
    owner: (owner: string) => `${prefix}:owner:{${owner}}`,
    index,
    records: (kind: string) => `${prefix}:{records}:${kind}`,
    recordLives: (kind: string) => `${prefix}:{records}:${kind}:until`,
    record: (kind: string, id: string) => `${prefix}:record:{${kind}:${id}}`,
    recordCall: (kind: string, id: string, call: string) => `${prefix}:record:{${kind}:${id}}:call:${call}`,
  };
};

export type Keys = ReturnType<typeof createKeys>;
