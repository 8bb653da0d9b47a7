/** Lengths that are compared, and how many sessions of each the fixture holds: writes go round them, so that a session stays about as long. */
export const LENGTHS = [
  { length: 10, sessions: 200 },
  { length: 1000, sessions: 16 },
  { length: 100_000, sessions: 1 },
];

/** Messages of the next turn's context. */
export const TAIL = 50;

const TEXT =
  "The parser reads the whole file before it looks at the first line; that is where the time goes. ";

/** A message of about 200 bytes. */
export function messageOf(index) {
  return { role: "user", content: `${index}: ${TEXT}${TEXT.slice(0, 70)}` };
}

/** A message of about 800 bytes. */
export function longMessageOf(index) {
  return { role: "user", content: `${index}: ${TEXT.repeat(8)}` };
}

/** A message of 60 to 12,000 bytes, as many of every magnitude; the same one for the same index. */
export function mixedMessageOf(index) {
  const place = ((index * 2_654_435_761) % 4_294_967_296) / 4_294_967_296;
  const bytes = Math.floor(60 * 200 ** place);
  return {
    role: "user",
    content: `${index}: ${TEXT.repeat(Math.ceil(bytes / TEXT.length))}`.slice(0, bytes),
  };
}
