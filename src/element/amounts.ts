/** Milliseconds as people say them: `80 ms`, `1.2 s`, `3 min 5 s`. */
export const duration = (ms: number): string => {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return `${whole} ms`;
  if (whole < 59_950) return `${(whole / 1000).toFixed(1)} s`;
  const seconds = Math.round(whole / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

/** A time that still runs: `0.4 s`, `12.3 s`, `1 min 5 s`. */
export const elapsed = (ms: number): string => {
  const seconds = Math.max(0, ms) / 1000;
  return seconds < 60 ? `${(Math.floor(seconds * 10) / 10).toFixed(1)} s` : duration(Math.floor(seconds) * 1000);
};

/** `812 bytes`, `64 KB`, `10.2 MB`. */
export const byteText = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} bytes`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1000 ? `${Math.round(kilobytes)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`;
};
