import type { FC } from "hono/jsx";

// Line icons on a grid of 24, drawn for this console.

const PATHS = {
  overview: "M4 11.5 12 5l8 6.5V19a1 1 0 0 1-1 1h-4.5v-5h-5v5H5a1 1 0 0 1-1-1z",
  send: "M20.5 3.5 10 14M20.5 3.5 14 20.5 10 14 3.5 10z",
  activity: "M3 12h4l3-7 4 14 3-7h4",
  inbox: "M4 13h4.5l1.5 2.5h4L15.5 13H20M6.5 5h11L20 13v5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-5z",
  schedule: "M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 8v4.5l3 1.5",
  recordings: "M12 4a2.5 2.5 0 0 1 2.5 2.5v5a2.5 2.5 0 0 1-5 0v-5A2.5 2.5 0 0 1 12 4zM6 11.5a6 6 0 0 0 12 0M12 17.5V21",
  webhooks:
    "M8.5 14.5 5 18a2.8 2.8 0 1 0 4 4M12 8l3.5 6.5M12 8a3 3 0 1 1 2.9-3.8M15.5 14.5H19a2.8 2.8 0 1 1-2.7 4M9.5 19h6",
  dlt: "M7 3.5h7l4 4v13H7zM14 3.5v4h4M9.5 13l2 2 3.5-3.5M9.5 18h5",
  keys: "M14.5 4.5a5 5 0 1 1-3.6 8.5L5 19H3.5v-2.5L10 10a5 5 0 0 1 4.5-5.5zM16 8.5h.01",
  billing: "M4 6.5h16a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1zM3 10.5h18M7 14.5h4",
  settings: "M4 7h9M17 7h3M4 12h3M11 12h9M4 17h10M18 17h2M15 5v4M9 10v4M16 15v4",
  docs: "M12 6.5C10 5 7 4.8 4 5.3v13c3-.5 6-.3 8 1.2 2-1.5 5-1.7 8-1.2v-13c-3-.5-6-.3-8 1.2zM12 6.5v13",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  copy: "M9 9h10v10H9zM5 15V5h10",
  check: "m5 12.5 4.5 4.5L19 7.5",
  moon: "M20 14.5A8 8 0 0 1 9.5 4a8 8 0 1 0 10.5 10.5z",
  sun: "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M5.6 18.4l1.1-1.1M17.3 6.7l1.1-1.1",
  out: "M14 4h5a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1h-5M10 8l-4 4 4 4M6 12h9",
  phone: "M8 3h8a1.5 1.5 0 0 1 1.5 1.5v15A1.5 1.5 0 0 1 16 21H8a1.5 1.5 0 0 1-1.5-1.5v-15A1.5 1.5 0 0 1 8 3zM11 18h2",
  call: "M6 4h3l1.5 4.5L8.5 10a11 11 0 0 0 5.5 5.5l1.5-2L20 15v3a2 2 0 0 1-2 2A14 14 0 0 1 4 6a2 2 0 0 1 2-2z",
  plus: "M12 5v14M5 12h14",
  search: "M11 5a6 6 0 1 1 0 12 6 6 0 0 1 0-12zM15.5 15.5 20 20",
  download: "M12 4v11M7.5 11l4.5 4.5 4.5-4.5M5 20h14",
  upload: "M12 16V5M7.5 9.5 12 5l4.5 4.5M5 20h14",
  pause: "M9 6v12M15 6v12",
  play: "M8 5.5v13l11-6.5z",
  trash: "M5 7h14M10 7V4.5h4V7M7 7l1 13h8l1-13M10 11v5M14 11v5",
  rotate: "M19 12a7 7 0 1 1-2-5M19 4v4h-4",
  close: "M6 6l12 12M18 6 6 18",
  person: "M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM4.5 20a7.5 7.5 0 0 1 15 0",
  shield: "M12 3.5 19 6v6c0 4-3 7-7 8.5C8 19 5 16 5 12V6z",
} as const;

export type IconName = keyof typeof PATHS;

/** A decoration: its meaning is in the text beside it, or in the label of its parent. */
export const Icon: FC<{ name: IconName }> = ({ name }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);

/** The logo: a door knocker and its sound. */
export const Mark: FC = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="9" />
    <path d="M11 8.5v15h4.5a7.5 7.5 0 0 0 0-15z" />
    <path d="M15.5 13a3 3 0 0 1 0 6" />
  </svg>
);
