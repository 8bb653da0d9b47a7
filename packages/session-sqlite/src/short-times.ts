/** Milliseconds behind an id's own time that are still kept so: 24 days, four bytes. */
const longest = 2 ** 31 - 1;

/**
 * A time as its column keeps it beside a UUID of version 7: below zero, as -1 - n for n milliseconds behind the time that
 * the id was made at, so that most times are a byte; as it is beside any other id and where it is not soon after.
 */
export function timeBeside(id: string, time: number): number {
  const since = time - timeOf(id);
  return since >= 0 && since <= longest ? -1 - since : time;
}

/** The time that `timeBeside` was given. */
export function timeFrom(id: string, kept: number): number {
  return kept < 0 ? timeOf(id) - 1 - kept : kept;
}

/** The first 48 bits of a UUID; no number for a text that has none there. Source: RFC 9562, section 5.7. */
function timeOf(id: string): number {
  return Number(`0x${id.slice(0, 8)}${id.slice(9, 13)}`);
}
