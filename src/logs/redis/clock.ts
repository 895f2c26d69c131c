/** The engine's time in milliseconds, ahead by the number that the last argument says (a test's). */
export const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[#ARGV])
`;
