/** Systems without a file in bench/peers/torture/, and why. Written by hand. */
export const notMeasured = [
  "Chainlit: its page speaks a protocol of its own over Socket.IO, which the kit has no driver for.",
  "LibreChat: it needs MongoDB, which the machine of these measurements does not have.",
];
