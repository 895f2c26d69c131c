import { icon } from "./icon.tsx";

export const IconClock = icon(
  <>
    <circle cx="8" cy="8" r="6" />
    <path d="M8 4.5V8l2.3 1.6" />
  </>,
);
export const IconSpinner = icon(
  <>
    <circle cx="8" cy="8" r="6" opacity="0.25" />
    <path d="M8 2a6 6 0 0 1 6 6" strokeWidth="2" />
  </>,
  { spins: true },
);
export const IconCheck = icon(<path d="m3 8.5 3.2 3.2L13 4.8" strokeWidth="2" />);
export const IconCross = icon(<path d="m4 4 8 8m0-8-8 8" strokeWidth="2" />);
export const IconDenied = icon(
  <>
    <circle cx="8" cy="8" r="6" />
    <path d="m3.8 3.8 8.4 8.4" />
  </>,
);
export const IconStop = icon(<rect x="3.75" y="3.75" width="8.5" height="8.5" rx="1.5" />);
export const IconStopped = icon(
  <>
    <circle cx="8" cy="8" r="6" />
    <rect x="5.9" y="5.9" width="4.2" height="4.2" fill="currentColor" stroke="none" />
  </>,
);
export const IconHourglass = icon(<path d="M4.5 2h7m-7 12h7M5 2c0 3.6 6 4.4 6 0M5 14c0-6 6-6 6 0M8 7v1.5" />);
export const IconBroken = icon(<path d="M2 8h3l1.2-3M14 8h-3l-1.2 3M8.8 3.5 7.2 12.5" />);
export const IconHandOver = icon(<path d="M2.5 8h9M8.5 4.5 12 8l-3.5 3.5M14 3v10" />);
export const IconChevron = icon(<path d="m6 3.5 4.5 4.5L6 12.5" />);
export const IconCopy = icon(
  <>
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
    <path d="M10.5 3.8a1.3 1.3 0 0 0-1.3-1.3H3.8a1.3 1.3 0 0 0-1.3 1.3v5.4a1.3 1.3 0 0 0 1.3 1.3" />
  </>,
);
export const IconFile = icon(
  <path d="M9 1.75H4.5A1.25 1.25 0 0 0 3.25 3v10c0 .7.56 1.25 1.25 1.25h7c.7 0 1.25-.56 1.25-1.25V5.5L9 1.75Zm0 0V5.5h3.75" />,
);
export const IconDownload = icon(<path d="M8 2.5v7.5M4.75 7 8 10.25 11.25 7M3 13.25h10" />);
export const IconThought = icon(
  <path d="M8 2.25c-3.3 0-6 2-6 4.6 0 1.5.9 2.8 2.3 3.7L4 13.5l3-2.1c.3 0 .7.1 1 .1 3.3 0 6-2 6-4.65 0-2.6-2.7-4.6-6-4.6Z" />,
);
export const IconAgent = icon(
  <>
    <circle cx="8" cy="3.5" r="1.75" />
    <circle cx="3.75" cy="12.25" r="1.75" />
    <circle cx="12.25" cy="12.25" r="1.75" />
    <path d="M8 5.25V8m-4.25 2.5V8h8.5v2.5" />
  </>,
);
export const IconHand = icon(
  <>
    <circle cx="8" cy="8" r="6" />
    <path d="M6.3 6.3a1.8 1.8 0 1 1 2.5 1.9c-.5.2-.8.5-.8 1.1M8 11.4v.1" />
  </>,
);
export const IconWarning = icon(<path d="M8 2 1.5 13.5h13L8 2Zm0 4.5v3.2m0 1.9v.1" />);
export const IconInfo = icon(
  <>
    <circle cx="8" cy="8" r="6" />
    <path d="M8 7.3v3.5M8 5v.1" />
  </>,
);
export const IconRetry = icon(<path d="M13.5 8A5.5 5.5 0 1 1 11.6 3.8M13.5 2v3h-3" />);
export const IconQuote = icon(
  <path d="M3 11.5c1.7-.4 2.6-1.6 2.6-3.3H3V4.5h3.5v3.4c0 2.6-1.2 4.5-3.5 5M9 11.5c1.7-.4 2.6-1.6 2.6-3.3H9V4.5h3.5v3.4c0 2.6-1.2 4.5-3.5 5" />,
);
export const IconNew = icon(<path d="M8 3v10M3 8h10" />);
export const IconSearch = icon(
  <>
    <circle cx="7" cy="7" r="4.25" />
    <path d="m10.25 10.25 3.25 3.25" />
  </>,
);
export const IconMore = icon(<path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.25" />);
export const IconPencil = icon(<path d="m10.5 3 2.5 2.5-7.3 7.3-3.2.7.7-3.2L10.5 3Z" />);
export const IconTrash = icon(<path d="M2.75 4.25h10.5M6 4.25V2.5h4v1.75M4.25 4.25l.6 9.25h6.3l.6-9.25" />);
export const IconUpload = icon(<path d="M8 10.25v-7.5M4.75 5.75 8 2.5l3.25 3.25M3 13.25h10" />);
export const IconFork = icon(
  <>
    <circle cx="4.25" cy="3.5" r="1.5" />
    <circle cx="11.75" cy="3.5" r="1.5" />
    <circle cx="8" cy="12.5" r="1.5" />
    <path d="M4.25 5v1.25c0 1.2.8 2 2 2h3.5c1.2 0 2-.8 2-2V5M8 8.25V11" />
  </>,
);
export const IconBack = icon(<path d="M9.75 3.5 5.25 8l4.5 4.5" />);
export const IconForward = icon(<path d="M6.25 3.5 10.75 8l-4.5 4.5" />);
export const IconText = icon(<path d="M3 4.5V3h10v1.5M8 3v10M6 13h4" />);
export const IconReplay = icon(<path d="M5 3v10l8-5-8-5Z" />);
export const IconShare = icon(<path d="M8 9.5V2.5M5 5l3-2.5L11 5M4 8H3v5.5h10V8h-1" />);
