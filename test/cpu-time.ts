/** Milliseconds of processor time that `work` takes, independent of other processes on the machine. */
export const cpuTime = (work: () => unknown): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};
