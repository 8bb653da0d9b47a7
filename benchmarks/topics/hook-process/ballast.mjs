const held = [];

/** Fills this process with so many megabytes that are really there: every page is written. */
export function holdMegabytes(count = 0) {
  while (held.length < count) held.push(Buffer.alloc(1 << 20, 1));
}
