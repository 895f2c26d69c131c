/**
 * The key layout. All keys of a run have the run's id as their hash tag, so one script can access them on a cluster.
 * Keys that span runs have a separate tag.
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
