/** A place where one side waits until the other lets it go on, and the other knows that it waits. */
export interface Gate {
  readonly reached: Promise<void>;
  readonly opened: Promise<void>;
  reach(): void;
  open(): void;
}

export function gate(): Gate {
  let reach: () => void = () => undefined;
  let open: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { reached, opened, reach, open };
}
