import { icon } from "../app/icon.tsx";

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
export const IconSave = icon(<path d="M8 2.5V10M4.75 7 8 10.25 11.25 7M3 13.25h10" />);
export const IconLoad = icon(<path d="M8 10.25v-7.5M4.75 5.75 8 2.5l3.25 3.25M3 13.25h10" />);
export const IconFork = icon(
  <>
    <circle cx="4.25" cy="3.5" r="1.5" />
    <circle cx="11.75" cy="3.5" r="1.5" />
    <circle cx="8" cy="12.5" r="1.5" />
    <path d="M4.25 5v1.25c0 1.2.8 2 2 2h3.5c1.2 0 2-.8 2-2V5M8 8.25V11" />
  </>,
);
export const IconAgain = icon(<path d="M13.25 8A5.25 5.25 0 1 1 11.5 4.1M13.25 2v3h-3" />);
export const IconBack = icon(<path d="M9.75 3.5 5.25 8l4.5 4.5" />);
export const IconForward = icon(<path d="M6.25 3.5 10.75 8l-4.5 4.5" />);
export const IconNotice = icon(<path d="M8 2 1.5 13.5h13L8 2Zm0 4.5v3.2m0 1.9v.1" />);
