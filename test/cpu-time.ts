/** Milliseconds of processor time that `work` takes: other processes on the machine do not change it. */
export const cpuTime = (work: () => unknown): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};
