export const knownFailures: Readonly<Record<"draft-07" | "2020-12", readonly string[]>> = {
  "draft-07": [],
  "2020-12": [],
};
