import type { ReactNode } from "react";
import { icon } from "./icon.tsx";

const large = (drawing: ReactNode) => icon(drawing, { side: 20 });

export const IconMenu = large(<path d="M3 5h14M3 10h14M3 15h14" />);
export const IconPanel = large(
  <>
    <rect x="2.5" y="3.5" width="15" height="13" rx="2" />
    <path d="M12.5 3.5v13" />
  </>,
);
export const IconRuns = large(
  <path d="M7.500 5h9.500M7.500 10h9.500M7.500 15h9.500M3 5l.8.8L5.500 4M3 10h1.500M3 15h1.500" />,
);
export const IconOutline = large(<path d="M3 5h14M7 10h10M11 15h6M3 9v1h1M7 14v1h1" />);
export const IconSettings = large(
  <>
    <path d="M3 6h7m4 0h3M3 14h3m4 0h7" />
    <circle cx="12" cy="6" r="2" />
    <circle cx="8" cy="14" r="2" />
  </>,
);
export const IconKeyboard = large(
  <>
    <rect x="1.5" y="4.5" width="17" height="11" rx="2" />
    <path d="M5 8h.01M8.3 8h.01M11.7 8h.01M15 8h.01M5 12h.01M15 12h.01M8 12h4" />
  </>,
);
export const IconAttach = large(
  <path d="m8 11.500 5-5a2 2 0 0 1 2.800 2.800l-6.300 6.300a3.700 3.700 0 0 1-5.200-5.200l6-6" />,
);
export const IconSend = large(<path d="M10 16V4m0 0L5 9m5-5 5 5" strokeWidth="2" />);
export const IconStopSquare = large(<rect x="5" y="5" width="10" height="10" rx="1.5" fill="currentColor" />);
export const IconDown = large(<path d="M10 4v12m0 0 5-5m-5 5-5-5" />);
export const IconClose = large(<path d="m5 5 10 10M15 5 5 15" />);
export const IconSun = large(
  <>
    <circle cx="10" cy="10" r="3.5" />
    <path d="M10 1.8v1.7m0 13v1.7M1.8 10h1.7m13 0h1.7M4.2 4.2l1.2 1.2m9.2 9.2 1.2 1.2m0-11.6-1.2 1.2m-9.2 9.2-1.2 1.2" />
  </>,
);
export const IconMoon = large(<path d="M16.5 12.3A7 7 0 0 1 7.7 3.5a7 7 0 1 0 8.8 8.8Z" />);
export const IconScreen = large(
  <>
    <rect x="2.5" y="3.5" width="15" height="10" rx="1.5" />
    <path d="M7 17h6m-3-3.5V17" />
  </>,
);
export const IconLive = large(<circle cx="10" cy="10" r="4" fill="currentColor" stroke="none" />);
export const IconDone = large(<path d="m4.5 10.5 3.6 3.6 7.4-8.2" />);
export const IconAway = large(<path d="M7 5v10m6-10v10" strokeWidth="2" />);
export const IconLost = large(
  <path d="M2.5 7.5A11 11 0 0 1 10 4.6c1.2 0 2.3.2 3.4.5M17.5 7.500l-1-.8M5.3 10.700A7 7 0 0 1 9 9M12.5 9.500c.8.3 1.6.7 2.2 1.200M10 15h.01M3 3l14 14" />,
);
export const IconFailed = large(
  <>
    <circle cx="10" cy="10" r="7.2" />
    <path d="M10 6v4.600m0 3v.01" />
  </>,
);
export const IconConnecting = large(
  <>
    <circle cx="10" cy="10" r="6.5" opacity="0.25" />
    <path d="M10 3.500A6.5 6.5 0 0 1 16.5 10" strokeWidth="2" />
  </>,
);
export const IconEdit = large(<path d="m12.5 4.5 3 3L7 16H4v-3l8.5-8.500Z" />);
