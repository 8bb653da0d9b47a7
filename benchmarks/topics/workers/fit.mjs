/** What every turn of this measurement needs and every worker has. */
export const fit = {
  digest: "b".repeat(64),
  parts: { format: 1, release: "0", workspace: "/", guards: "", policy: "", roster: "", tools: "" },
};
