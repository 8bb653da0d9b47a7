import type { JSX } from "preact";

/** Strokes in a square of 16 by 16. */
const paths = {
  session: "M3 4.5h10v7H3z M6 14h4",
  run: "M5 3.5l7 4.5-7 4.5z",
  round: "M3 3.5h10v7H7l-3 2.5v-2.5H3z",
  call: "M6 3L3 8l3 5 M10 3l3 5-3 5",
  child: "M4 3v7h5 M9 7.5h4v5H9z",
  fork: "M5 2.5v11 M5 9c0-3 6-2 6-6",
  note: "M8 3.5v5.5 M8 11.8v.7",
  allow: "M3.5 8.5l3 3 6-7",
  deny: "M8 2.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11z M4.2 4.2l7.6 7.6",
  change: "M3 13l.8-3L10.5 3.300l2.2 2.200L6 12.200z",
  broken: "M8 2.500L14 13H2z M8 6.500v3 M8 11v.6",
  wait: "M5.5 3.500v9 M10.5 3.500v9",
  reject: "M4 4l8 8 M12 4l-8 8",
  open: "M5 6l3 4 3-4",
  closed: "M6 5l4 3-4 3",
  folded: "M4 5h8 M4 8h8 M4 11h8",
  live: "M8 5.500a2.5 2.5 0 100 5 2.5 2.5 0 000-5z",
} as const;

export type IconName = keyof typeof paths;

/** A picture beside a word; it is never the only sign. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
