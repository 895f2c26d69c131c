/** The engine's time in milliseconds plus the last argument, which is for tests. */
export const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[#ARGV])
`;
